/** Returns a whole number from 0 up to but not including `below`, with equal probability. */
type PickIndex = (below: number) => number

const junkValues: ReadonlyArray<unknown> = [
  null,
  true,
  "",
  " ",
  "\u0000",
  "\ud800",
  "비트코인",
  "биткоин",
  "🚀".repeat(300),
  "a".repeat(5_000),
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "../../etc/passwd",
  "' or 1=1; drop table accounts; --",
  "${7*7}",
  "<script>alert(1)</script>",
  "NaN",
  "Infinity",
  "btc",
  "USDT",
  "AAPL",
  "005930",
  "2026-11-27",
  "2026-02-30",
  "0000-00-00T00:00:00Z",
  "1970-01-01T00:00:00Z",
  "9999-12-31T23:59:59Z",
  0,
  -0,
  -1,
  1,
  0.5,
  -0.1,
  1e-308,
  1e308,
  2 ** 31,
  2 ** 53,
  Number.MAX_SAFE_INTEGER,
  [],
  {},
  [[]],
  [null],
  ["BTC", "BTC"],
  Array.from({ length: 3_000 }, () => "ETH"),
  Array.from({ length: 40 }, (_, i) => i - 20),
  { coin: "BTC" },
  { length: 1e9 },
  { $ref: "#", $defs: {} }
]

const junkNames = junkValues.filter((value) => typeof value === "string")

/** Bodies that are not JSON objects, or that `JSON.stringify` never produces. */
const junkBodies: ReadonlyArray<string> = [
  "",
  " ",
  "null",
  "[]",
  "\"text\"",
  "1e999",
  "NaN",
  "{",
  "{\"coin\":}",
  "{\"coin\":1e999}",
  "{\"__proto__\":{\"coin\":\"BTC\"},\"coin\":\"BTC\"}",
  "{\"constructor\":{\"prototype\":{\"coin\":\"BTC\"}}}",
  "{\"coin\":\"BTC\",\"coin\":\"ETH\"}",
  "{\"user_id\":\"1\"}",
  `${"[".repeat(4_000)}${"]".repeat(4_000)}`,
  `{"coin":${"[".repeat(4_000)}${"]".repeat(4_000)}}`
]

const entriesOf = (value: object): ReadonlyArray<[string, unknown]> => Object.entries(value)

const replacePart = (value: unknown, pickIndex: PickIndex): unknown => {
  if (typeof value !== "object" || value === null || pickIndex(3) === 0) return junkValues[pickIndex(junkValues.length)]
  if (Array.isArray(value)) {
    if (value.length === 0) return [junkValues[pickIndex(junkValues.length)]]
    const at = pickIndex(value.length)
    return value.map((one: unknown, i) => i === at ? replacePart(one, pickIndex) : one)
  }
  const entries = entriesOf(value)
  if (entries.length === 0) return { [junkNames[pickIndex(junkNames.length)]!]: 1 }
  const [name] = entries[pickIndex(entries.length)]!
  return Object.fromEntries(entries.map(([key, one]) => [key, key === name ? replacePart(one, pickIndex) : one]))
}

/**
 * Returns an invalid or unusual body for a tool: nearly always a change of the valid `example`, and sometimes a text
 * that is not JSON.
 */
export const makeJunkBody = (example: object, parameterNames: ReadonlyArray<string>, pickIndex: PickIndex): string => {
  if (pickIndex(8) === 0) return junkBodies[pickIndex(junkBodies.length)]!
  const args = Object.fromEntries(entriesOf(example))
  // The loop changes arguments of the example, and adds arguments that the example does not have.
  for (let times = pickIndex(3); times >= 0 && parameterNames.length > 0; times--) {
    const name = parameterNames[pickIndex(parameterNames.length)]!
    args[name] = replacePart(args[name] ?? null, pickIndex)
  }
  if (pickIndex(6) === 0) args[junkNames[pickIndex(junkNames.length)]!] = junkValues[pickIndex(junkValues.length)]
  return JSON.stringify(args)
}
