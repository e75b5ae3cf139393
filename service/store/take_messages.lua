-- Take a lane for one worker, and read its first messages that are due.
--
-- KEYS  1  webhooks:<lane>:waiting  sorted set  keys of messages, by the time they are due
--       2  webhooks:<lane>:bodies   hash        b<key> body, t<key> tries in vain
--       3  webhooks:<lane>:state    hash        holder and held_until are the lease
-- ARGV  1 holder  2 now  3 lease (milliseconds)  4 limit  5 lifetime (milliseconds)
--
-- Returns  key, body, tries of each message; nil while another worker holds the lane

local lease = redis.call('HMGET', KEYS[3], 'holder', 'held_until')
if lease[1] and lease[1] ~= ARGV[1] and tonumber(ARGV[2]) < tonumber(lease[2]) then
  return false
end
redis.call('HSET', KEYS[3], 'holder', ARGV[1], 'held_until', string.format('%.0f', ARGV[2] + ARGV[3]))
redis.call('PEXPIRE', KEYS[3], ARGV[5])
local found = {}
for _, key in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[2], 'LIMIT', 0, ARGV[4])) do
  local its = redis.call('HMGET', KEYS[2], 'b' .. key, 't' .. key)
  found[#found + 1] = key
  found[#found + 1] = its[1] or ''
  found[#found + 1] = its[2] or '0'
end
return found
