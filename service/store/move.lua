-- Change the place of a sealed stream, or forget the stream.
--
-- KEYS  1  {bb}:sealed:<..>   hash    the places of sealed streams whose ids begin alike
--       2  {bb}:sealed        set     the beginnings that have such a hash
-- ARGV  1  the beginning of the id
--       2  the stream's field in the hash of places
--       3  the place that it has
--       4  the place that it gets; without it the stream is forgotten
--
-- Returns  1, or 0 if the stream is not sealed at this place
-- Error    WRONGTYPE  a key holds a value of another type; nothing is written

redis.call('SCARD', KEYS[2])
if redis.call('HGET', KEYS[1], ARGV[2]) ~= ARGV[3] then
  return 0
end
-- A full server lets a script go on that has begun with a command that frees memory.
redis.call('HDEL', KEYS[1], ARGV[2])
if ARGV[4] then
  redis.call('HSET', KEYS[1], ARGV[2], ARGV[4])
elseif redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('SREM', KEYS[2], ARGV[1])
end
return 1
