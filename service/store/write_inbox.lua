-- Write letters to a player's inbox, except those whose key it has already; then remove the oldest entries.
--
-- KEYS  1  {bb}:inbox:<player>       stream  ids <number>-0, fields: k key, p number of the previous entry, d data
--       2  {bb}:inbox-keys:<player>  set     the keys of all entries in the stream
--       3  {cc}:feed                 stream  one entry per call that wrote: s the inbox, v <first>-<last>, t inbox
-- ARGV  1  name of the inbox in the feed
--       2  how many entries to keep
--       3  milliseconds after which an inbox without a new entry is deleted, give or take a hundredth
--       4.. for each letter: key, data
--
-- Returns  the number of written letters
-- Error    WRONGTYPE  a key holds a value of another type; nothing is written

redis.call('XLEN', KEYS[3])
redis.call('SCARD', KEYS[2])
local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
local number = newest and tonumber(string.match(newest[1], '^%d+')) or 0

-- Numbers are microseconds of the clock, so they grow even after the inbox was deleted. All are exact, below 2^53.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local first, written = nil, 0
for i = 4, #ARGV, 2 do
  if redis.call('SADD', KEYS[2], ARGV[i]) == 1 then
    local previous = number
    number = math.max(now, number + 1)
    first = first or number
    written = written + 1
    redis.call('XADD', KEYS[1], string.format('%.0f-0', number), 'k', ARGV[i], 'p', string.format('%.0f', previous),
      'd', ARGV[i + 1])
  end
end
if written == 0 then
  return 0
end

local excess = redis.call('XLEN', KEYS[1]) - tonumber(ARGV[2])
if excess > 0 then
  for _, entry in ipairs(redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', excess)) do
    redis.call('SREM', KEYS[2], entry[2][2])
  end
  redis.call('XTRIM', KEYS[1], 'MAXLEN', ARGV[2])
end
-- Each extension is written to disk, so an inbox that is written to often is extended once in a hundredth of its time.
local lifetime = tonumber(ARGV[3])
for i = 1, 2 do
  if redis.call('PTTL', KEYS[i]) < lifetime * 0.99 then
    redis.call('PEXPIRE', KEYS[i], lifetime)
  end
end
redis.call('XADD', KEYS[3], '*', 's', ARGV[1], 'v', string.format('%.0f-%.0f', first, number), 't', 'inbox')
return written
