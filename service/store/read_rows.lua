-- The first rows of several spans of a table's lists, merged in order, as of one moment.
--
-- KEYS  as for put_rows.lua
-- ARGV  1  the most rows to return
--       2  up or down: ascending or descending order
--       3.. for each span its lower and its upper bound, in the notation of ZRANGEBYLEX
--
-- Returns  for each row: place with id, then data
-- Error    WRONGTYPE          a key holds a value of another type

local FIRST_KEY = { a = 2, b = 5 }
local first = FIRST_KEY[redis.call('HGET', KEYS[1], 'live') or 'a']
local rows, lists = KEYS[first], KEYS[first + 2]
local limit, down = tonumber(ARGV[1]), ARGV[2] == 'down'

-- Compares byte by byte: Lua's own comparison depends on the server's locale.
local function precedes(left, right)
  for i = 1, math.min(#left, #right) do
    local l, r = string.byte(left, i), string.byte(right, i)
    if l ~= r then
      return (l < r) ~= down
    end
  end
  return (#left < #right) ~= down
end

local spans = {}
for i = 3, #ARGV, 2 do
  local members
  if down then
    members = redis.call('ZREVRANGEBYLEX', lists, ARGV[i + 1], ARGV[i], 'LIMIT', 0, limit)
  else
    members = redis.call('ZRANGEBYLEX', lists, ARGV[i], ARGV[i + 1], 'LIMIT', 0, limit)
  end
  local span = { next = 1 }
  for j, member in ipairs(members) do
    span[j] = string.match(member, '\t(.*)$')
  end
  spans[#spans + 1] = span
end

local found = {}
while #found < 2 * limit do
  local best
  for _, span in ipairs(spans) do
    local at = span[span.next]
    if at and (not best or precedes(at, best[best.next])) then
      best = span
    end
  end
  if not best then
    return found
  end
  local at = best[best.next]
  best.next = best.next + 1
  found[#found + 1] = at
  found[#found + 1] = redis.call('HGET', rows, string.match(at, '\t(.*)$'))
end
return found
