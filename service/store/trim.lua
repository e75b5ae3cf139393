-- Remove the oldest entries of a feed. The newest stay, and so does every entry that is not acknowledged.
--
-- KEYS  1  {bb}:feed  stream
-- ARGV  1  consumer group
--       2  how many of the newest entries to keep
--       3  the most entries to remove; this bounds how long the call blocks the server
--       4  the last entry that may be removed; "" without such a bound
--
-- Returns  the number of removed entries

local excess = redis.call('XLEN', KEYS[1]) - tonumber(ARGV[2])
if excess <= 0 then
  return 0
end

local upto
for _, group in ipairs(redis.call('XINFO', 'GROUPS', KEYS[1])) do
  local info = {}
  for i = 1, #group, 2 do
    info[group[i]] = group[i + 1]
  end
  if info['name'] == ARGV[1] then
    upto = info['last-delivered-id']
  end
end
if not upto then
  return 0
end

local function precedes(left, right)
  local left_ms, left_number = string.match(left, '^(%d+)-(%d+)$')
  local right_ms, right_number = string.match(right, '^(%d+)-(%d+)$')
  if left_ms ~= right_ms then
    return tonumber(left_ms) < tonumber(right_ms)
  end
  return tonumber(left_number) < tonumber(right_number)
end

if ARGV[4] ~= '' and precedes(ARGV[4], upto) then
  upto = ARGV[4]
end

local acknowledged = redis.call('XRANGE', KEYS[1], '-', upto, 'COUNT', math.min(excess, tonumber(ARGV[3])))
if #acknowledged == 0 then
  return 0
end
local milliseconds, sequence = string.match(acknowledged[#acknowledged][1], '^(%d+)-(%d+)$')
return redis.call('XTRIM', KEYS[1], 'MINID', milliseconds .. '-' .. (tonumber(sequence) + 1))
