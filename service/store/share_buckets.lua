-- Renew the leases of a relay on buckets, give back those beyond its share, and take free ones up to it.
--
-- KEYS  1  {00}:relays         sorted set  the relays at work, by the time (ms) until which they count without a sign
--       2  {00}:relay-buckets  hash        bucket -> relay
-- ARGV  1  the relay
--       2  for how long (ms) it counts without another sign; 0: it leaves
--       3  the number of buckets
--
-- Returns  the buckets of the relay, as numbers
-- Error    WRONGTYPE  a key holds a value of another type

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local me, lasts, total = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])

redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if lasts > 0 then
  redis.call('ZADD', KEYS[1], now + lasts, me)
else
  redis.call('ZREM', KEYS[1], me)
end
local relays = redis.call('ZCARD', KEYS[1])
local share = lasts > 0 and math.ceil(total / relays) or 0

local owners = {}
local known = redis.call('HGETALL', KEYS[2])
for i = 1, #known, 2 do
  owners[known[i]] = known[i + 1]
end
local mine, free = {}, {}
for number = 0, total - 1 do
  local owner = owners[tostring(number)]
  if owner == me then
    mine[#mine + 1] = number
  elseif not owner or not redis.call('ZSCORE', KEYS[1], owner) then
    free[#free + 1] = number
  end
end
while #mine > share do
  redis.call('HDEL', KEYS[2], table.remove(mine))
end
for _, number in ipairs(free) do
  if #mine >= share then
    break
  end
  redis.call('HSET', KEYS[2], number, me)
  mine[#mine + 1] = number
end
return mine
