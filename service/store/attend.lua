-- Note that a process is at work on the store, unless it cannot read the layout of the data.
--
-- KEYS  1  {00}:layout     string  the layout of the data
--       2  {00}:processes  hash    process -> until when (ms) it counts, the newest layout that it reads, what it is
-- ARGV  1  the process
--       2  for how long (ms) it counts without another sign; 0: it leaves
--       3  the newest layout that it reads
--       4  what it is
--
-- Returns  the layout of the data; 1 if none is noted
-- Error    WRONGTYPE  a key holds a value of another type

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local layout = tonumber(redis.call('GET', KEYS[1]) or '1')
local present = redis.call('HGETALL', KEYS[2])
for i = 1, #present, 2 do
  if tonumber(string.match(present[i + 1], '^%d+')) <= now then
    redis.call('HDEL', KEYS[2], present[i])
  end
end
if tonumber(ARGV[2]) > 0 and tonumber(ARGV[3]) >= layout then
  redis.call('HSET', KEYS[2], ARGV[1], string.format('%.0f %s %s', now + tonumber(ARGV[2]), ARGV[3], ARGV[4]))
else
  redis.call('HDEL', KEYS[2], ARGV[1])
end
return layout
