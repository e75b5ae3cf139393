-- Replace a stream and the commands remembered of it by its place in the archive, if it is still what was archived.
--
-- KEYS  1  {bb}:ev:<stream>   stream  the events
--       2  {bb}:cmd:<stream>  hash    the commands
--       3  {bb}:streams       zset    the ids of the bucket's streams that are not sealed
--       4  {bb}:sealed:<..>   hash    the places of sealed streams whose ids begin alike
--       5  {bb}:sealed        set     the beginnings that have such a hash
-- ARGV  1  stream id
--       2  the beginning of the id
--       3  the stream's field in the hash of places
--       4  version
--       5  head (32 bytes)
--       6  the number of commands
--       7  place
--
-- Returns  1, or 0 if the stream is at another version or head, has other commands, or does not exist
-- Error    WRONGTYPE  a key holds a value of another type; nothing is written

local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
local commands = redis.call('HLEN', KEYS[2])
redis.call('ZCARD', KEYS[3])
redis.call('HLEN', KEYS[4])
redis.call('SCARD', KEYS[5])
if not newest or newest[1] ~= ARGV[4] .. '-0' or newest[2][4] ~= ARGV[5] or commands ~= tonumber(ARGV[6]) then
  return 0
end
-- A full server lets a script go on that has begun with a command that frees memory.
redis.call('UNLINK', KEYS[1], KEYS[2])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('HSET', KEYS[4], ARGV[3], ARGV[7])
redis.call('SADD', KEYS[5], ARGV[2])
return 1
