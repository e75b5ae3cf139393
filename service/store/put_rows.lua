-- Enter rows of a table in the lists of their terms and remove them from all others. A row is ignored if the table has
-- the same or a newer version of it.
--
-- KEYS  1  {<table>}:meta   hash  live (the half that is read, a or b; at first a), building (the other half, during a build)
--       2  {<table>}:a:rows   hash  id -> data
--       3  {<table>}:a:marks  hash  id -> version, place and terms, separated by tabs
--       4  {<table>}:a:lists  zset  all lists together, scores 0: term, place and id, separated by tabs
--       5..7                  the same for half b
-- ARGV  for each row: id, version, mark, data
--
-- Returns  nothing
-- Error    WRONGTYPE          a key holds a value of another type
-- All keys share a hash tag, so a cluster keeps a table on one node.

local function list_members(id, mark)
  local place, members = nil, {}
  for part in string.gmatch(string.match(mark, '\t(.*)$'), '[^\t]+') do
    if place then
      members[part .. place] = true
    else
      place = '\t' .. part .. '\t' .. id
    end
  end
  return members
end

local function put(half, id, version, mark, data)
  local rows, marks, lists = KEYS[half], KEYS[half + 1], KEYS[half + 2]
  local old = redis.call('HGET', marks, id)
  if old and tonumber(string.match(old, '^%d+')) >= version then
    return
  end
  -- Write the mark last: if anything before it fails, the row will be entered again.
  redis.call('HSET', rows, id, data)
  local before = old and list_members(id, old) or {}
  local after = list_members(id, mark)
  for member in pairs(before) do
    if not after[member] then
      redis.call('ZREM', lists, member)
    end
  end
  for member in pairs(after) do
    if not before[member] then
      redis.call('ZADD', lists, 0, member)
    end
  end
  redis.call('HSET', marks, id, mark)
end

local FIRST_KEY = { a = 2, b = 5 }
local meta = redis.call('HMGET', KEYS[1], 'live', 'building')
for i = 1, #ARGV, 4 do
  local id, version, mark, data = ARGV[i], tonumber(ARGV[i + 1]), ARGV[i + 2], ARGV[i + 3]
  put(FIRST_KEY[meta[1] or 'a'], id, version, mark, data)
  if meta[2] then
    put(FIRST_KEY[meta[2]], id, version, mark, data)
  end
end
