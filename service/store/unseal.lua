-- Put a sealed stream back, or one that is not there. Its events and commands were written to keys of their own before, which now take its place.
--
-- KEYS  1  {bb}:ev:<stream>       stream  the events
--       2  {bb}:cmd:<stream>      hash    the commands
--       3  {bb}:streams           zset    the ids of the bucket's streams that are not sealed
--       4  {bb}:sealed:<..>       hash    the places of sealed streams whose ids begin alike
--       5  {bb}:sealed            set     the beginnings that have such a hash
--       6  {bb}:unsealing:<..>:ev   stream  the events, as they will be
--       7  {bb}:unsealing:<..>:cmd  hash    the commands, as they will be
-- ARGV  1  stream id
--       2  the beginning of the id
--       3  the stream's field in the hash of places
--       4  place; "" if the stream is not to be there at all
--       5  the number of events
--       6  the number of commands
--
-- Returns  1, 0 if the stream is not sealed at this place, or -1 if keys 6 and 7 do not hold so many
-- Error    WRONGTYPE  a key holds a value of another type; nothing is written

local taken = redis.call('XLEN', KEYS[1]) + redis.call('HLEN', KEYS[2]) > 0
redis.call('ZCARD', KEYS[3])
redis.call('SCARD', KEYS[5])
if taken or (redis.call('HGET', KEYS[4], ARGV[3]) or '') ~= ARGV[4] then
  return 0
end
local events, commands = tonumber(ARGV[5]), tonumber(ARGV[6])
if redis.call('XLEN', KEYS[6]) ~= events or redis.call('HLEN', KEYS[7]) ~= commands then
  return -1
end
redis.call('RENAME', KEYS[6], KEYS[1])
redis.call('PERSIST', KEYS[1])
if commands > 0 then
  redis.call('RENAME', KEYS[7], KEYS[2])
  redis.call('PERSIST', KEYS[2])
end
redis.call('ZADD', KEYS[3], 0, ARGV[1])
redis.call('HDEL', KEYS[4], ARGV[3])
if redis.call('EXISTS', KEYS[4]) == 0 then
  redis.call('SREM', KEYS[5], ARGV[2])
end
return 1
