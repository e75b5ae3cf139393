-- End a worker's lease of a lane, and make the lane due when its first message is, but not before the end of a pause.
--
-- KEYS  1  webhooks:<lane>:waiting  sorted set  keys of messages, by the time they are due
--       2  webhooks:<lane>:state    hash        holder and held_until are the lease
--       3  webhooks:due             sorted set  lanes, by the time they are due
-- ARGV  1 lane  2 holder  3 end of the pause (UTC milliseconds)
--
-- Returns  1, or 0 if another worker holds the lane meanwhile

if redis.call('HGET', KEYS[2], 'holder') ~= ARGV[2] then
  return 0
end
redis.call('HDEL', KEYS[2], 'holder', 'held_until')
redis.call('HSET', KEYS[2], 'paused_until', ARGV[3])
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
if first[1] then
  redis.call('ZADD', KEYS[3], string.format('%.0f', math.max(tonumber(ARGV[3]), tonumber(first[2]))), ARGV[1])
else
  redis.call('ZREM', KEYS[3], ARGV[1])
end
return 1
