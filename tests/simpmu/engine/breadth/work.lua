-- SPDX-License-Identifier: BSD-3-Clause
-- Loops that LuaJIT compiles, coroutines, errors that are caught, strings.
local sum, words = 0, {}
for i = 1, 2000000 do sum = (sum * 3 + i) % 65521 end
local maker = coroutine.wrap(function()
  for i = 1, 10000 do coroutine.yield(i) end
end)
for _ = 1, 10000 do sum = sum + maker() end
local caught = 0
for i = 1, 2000 do
  if not pcall(function() return nil + i end) then caught = caught + 1 end
  words[#words + 1] = tostring(i):rep(2)
end
print(sum, caught, #table.concat(words))
