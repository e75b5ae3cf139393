-- Replace all events of a stream by one, if the stream is at the expected version and head.
--
-- KEYS  1  {bb}:ev:<stream>   stream  the events: ids <version>-0, fields e and h
--       2  {bb}:feed          stream  gets one entry: s the stream, v 1-1, t the type
-- ARGV  1  expected version
--       2  expected head (32 bytes)
--       3  stream id
--       4, 5  e and h of the event
--       6  its type
--
-- Returns  1, or 0 if the stream is at another version or head, or does not exist
-- Error    WRONGTYPE  a key holds a value of another type; nothing is written

redis.call('XLEN', KEYS[2])
local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if not newest or newest[1] ~= ARGV[1] .. '-0' or newest[2][4] ~= ARGV[2] then
  return 0
end
-- A full server lets a script go on that has begun with a command that frees memory.
redis.call('UNLINK', KEYS[1])
redis.call('XADD', KEYS[1], '1-0', 'e', ARGV[4], 'h', ARGV[5])
redis.call('XADD', KEYS[2], '*', 's', ARGV[3], 'v', '1-1', 't', ARGV[6])
return 1
