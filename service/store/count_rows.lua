-- Count the rows in spans of a table's lists, as of one moment.
--
-- KEYS  as for put_rows.lua
-- ARGV  for each span its lower and its upper bound, in the notation of ZRANGEBYLEX
--
-- Returns  a number for each span
-- Error    WRONGTYPE          a key holds a value of another type

local LISTS = { a = 4, b = 7 }
local lists = KEYS[LISTS[redis.call('HGET', KEYS[1], 'live') or 'a']]
local counts = {}
for i = 1, #ARGV, 2 do
  counts[#counts + 1] = redis.call('ZLEXCOUNT', lists, ARGV[i], ARGV[i + 1])
end
return counts
