-- Begin, renew or finish a build of a table's other half.
--
-- KEYS  as of put_rows.lua, whose hash of the first key also has, in a build: build (its id) and build_ms (its last
--       sign of life); and after one: layout
-- ARGV  1  begin, renew or finish
--       2  the id of the build
--       3  the time in milliseconds; to finish: the layout
--
-- Returns  1, or 0 where another build is under way, or none
-- Error    WRONGTYPE          a key holds something else

local FIRST_KEY = { a = 2, b = 5 }
local OTHER = { a = 'b', b = 'a' }
local meta = redis.call('HMGET', KEYS[1], 'live', 'build')
local live = meta[1] or 'a'

local function drop(half)
  local first = FIRST_KEY[half]
  redis.call('UNLINK', KEYS[first], KEYS[first + 1], KEYS[first + 2])
end

if ARGV[1] == 'begin' then
  drop(OTHER[live])
  redis.call('HSET', KEYS[1], 'building', OTHER[live], 'build', ARGV[2], 'build_ms', ARGV[3])
  return 1
end
if meta[2] ~= ARGV[2] then
  return 0
end
if ARGV[1] == 'renew' then
  redis.call('HSET', KEYS[1], 'build_ms', ARGV[3])
  return 1
end
redis.call('HSET', KEYS[1], 'live', OTHER[live], 'layout', ARGV[3])
redis.call('HDEL', KEYS[1], 'building', 'build', 'build_ms')
drop(live)
return 1
