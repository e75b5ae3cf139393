-- Forget that a lane failed, and make everything that waits in it due.
--
-- KEYS  1  webhooks:<lane>:waiting  sorted set  keys of messages, by the time they are due
--       2  webhooks:<lane>:state    hash        how the lane does
--       3  webhooks:due             sorted set  lanes, by the time they are due
-- ARGV  1 lane  2 now

redis.call('HDEL', KEYS[2], 'failures', 'failing_since', 'paused_until')
local waiting = redis.call('ZRANGE', KEYS[1], 0, -1)
for _, key in ipairs(waiting) do
  redis.call('ZADD', KEYS[1], ARGV[2], key)
end
if #waiting > 0 then
  redis.call('ZADD', KEYS[3], ARGV[2], ARGV[1])
end
return #waiting
