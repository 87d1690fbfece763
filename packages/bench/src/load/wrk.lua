-- The requests of a load test with wrk: the same body to one URL, with the API keys of the arguments in turn. Prints
-- the measurements as one line of JSON.
local requests = {}
local turn = 0

function init(args)
  local body = table.remove(args, 1)
  for _, key in ipairs(args) do
    requests[#requests + 1] = wrk.format("POST", nil, {
      ["Content-Type"] = "application/json",
      ["Authorization"] = "Bearer " .. key
    }, body)
  end
end

function request()
  turn = turn % #requests + 1
  return requests[turn]
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    'measured {"answers":%d,"us":%d,"p50Us":%d,"p99Us":%d,"refused":%d,"broken":%d}',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.status, errors.connect + errors.read + errors.write + errors.timeout
  ))
end
