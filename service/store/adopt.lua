-- Seal a stream that the store does not know at a place in the archive.
--
-- KEYS  1  {bb}:ev:<stream>   stream  the events
--       2  {bb}:sealed:<..>   hash    the places of sealed streams whose ids begin alike
--       3  {bb}:sealed        set     the beginnings that have such a hash
-- ARGV  1  the beginning of the id
--       2  the stream's field in the hash of places
--       3  place
--
-- Returns  1, or 0 if the stream has events or is sealed already
-- Error    WRONGTYPE  a key holds a value of another type; nothing is written

redis.call('SCARD', KEYS[3])
if redis.call('XLEN', KEYS[1]) > 0 or redis.call('HGET', KEYS[2], ARGV[2]) then
  return 0
end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
redis.call('SADD', KEYS[3], ARGV[1])
return 1
