-- Begin, renew or finish a build of the half of a table that is not read.
--
-- KEYS  as for put_rows.lua. The hash at the first key also has, during a build, build (its id) and build_ms (its last
--       sign of life), and after a build, layout
-- ARGV  1  begin, renew or finish
--       2  the id of the build
--       3  for begin and renew, the time in milliseconds; for finish, the layout
--
-- Returns  1, or 0 if another build or none is in progress
-- Error    WRONGTYPE          a key holds a value of another type

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
