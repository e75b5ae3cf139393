-- Enter a message in the lane of a webhook, unless the lane knows its key; then make the lane due.
--
-- KEYS  1  webhooks:<lane>:known    sorted set  keys of messages, by the time they came
--       2  webhooks:<lane>:waiting  sorted set  keys of messages, by the time they are due
--       3  webhooks:<lane>:bodies   hash        b<key> body, t<key> tries in vain
--       4  webhooks:<lane>:state    hash        how the lane does
--       5  webhooks:due             sorted set  lanes, by the time they are due
-- ARGV  1 lane  2 key  3 body  4 now  5 most keys known  6 most messages waiting  7 lifetime (all in milliseconds)
--
-- Returns  1 if the message was entered, 0 if it was known

local now = tonumber(ARGV[4])
if redis.call('ZADD', KEYS[1], 'NX', now, ARGV[2]) == 0 then
  return 0
end
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - tonumber(ARGV[5]))
redis.call('HSET', KEYS[3], 'b' .. ARGV[2], ARGV[3])
redis.call('ZADD', KEYS[2], now, ARGV[2])
if redis.call('ZCARD', KEYS[2]) > tonumber(ARGV[6]) then
  local dropped = redis.call('ZRANGE', KEYS[2], 0, 0)[1]
  redis.call('ZREM', KEYS[2], dropped)
  redis.call('HDEL', KEYS[3], 'b' .. dropped, 't' .. dropped)
  redis.call('HINCRBY', KEYS[4], 'dropped', 1)
end
local due = redis.call('ZSCORE', KEYS[5], ARGV[1])
local at = math.min(now, tonumber(due or now))
local paused = tonumber(redis.call('HGET', KEYS[4], 'paused_until') or 0)
redis.call('ZADD', KEYS[5], string.format('%.0f', math.max(paused, at)), ARGV[1])
for i = 1, 4 do
  redis.call('PEXPIRE', KEYS[i], ARGV[7])
end
return 1
