-- Raise the layout of the data, unless a process is at work that could not read it.
--
-- KEYS  1  {00}:layout     string  the layout of the data
--       2  {00}:processes  hash    see attend.lua
-- ARGV  1  the layout that the data may have from now on
--
-- Returns  what the processes are that could not read it; without any, the layout is raised
-- Error    WRONGTYPE  a key holds a value of another type

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local against = {}
local present = redis.call('HGETALL', KEYS[2])
for i = 1, #present, 2 do
  local upto, newest, what = string.match(present[i + 1], '^(%d+) (%d+) (.*)$')
  if tonumber(upto) > now and tonumber(newest) < tonumber(ARGV[1]) then
    against[#against + 1] = what
  end
end
if #against == 0 and tonumber(redis.call('GET', KEYS[1]) or '1') < tonumber(ARGV[1]) then
  redis.call('SET', KEYS[1], ARGV[1])
end
return against
