-- How many rows each of some spans of a table's lists has, at one moment.
--
-- KEYS  as of put_rows.lua
-- ARGV  pairs of the least and the greatest member of a span, in the notation of ZRANGEBYLEX
--
-- Returns  a number for each span
-- Error    WRONGTYPE          a key holds something else

local LISTS = { a = 4, b = 7 }
local lists = KEYS[LISTS[redis.call('HGET', KEYS[1], 'live') or 'a']]
local counts = {}
for i = 1, #ARGV, 2 do
  counts[#counts + 1] = redis.call('ZLEXCOUNT', lists, ARGV[i], ARGV[i + 1])
end
return counts
