import { type FakeReply, type FakeRequest, type FakeScript, startFakeModel } from "@tapeline/testing/fakeModel"
import { assert, it } from "vitest"
import { runEvaluation } from "../src/runEvaluation.ts"

const key = "sk-not-to-be-told"

const evaluated = async (
  script: FakeScript,
  { args = [], more = {} }: {
    readonly args?: ReadonlyArray<string>
    readonly more?: Readonly<Record<string, string>>
  } = {}
) => {
  const fake = await startFakeModel({ script })
  const lines: Array<string> = []
  try {
    const code = await runEvaluation({
      args: ["--only", "price-btc", ...args],
      environment: { OPENAI_BASE_URL: fake.baseUrl, OPENAI_MODEL: "small", OPENAI_API_KEY: key, ...more },
      writeLine: (line) => lines.push(line)
    })
    const said = lines.join("\n")
    assert.notInclude(said, key)
    return { code, said, asked: fake.log() }
  } finally {
    await fake.close()
  }
}

const messagesOf = ({ body }: FakeRequest): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  const messages = body?.["messages"]
  return Array.isArray(messages) ? messages : []
}

/** A model that calls `get_price`, and then answers with the price. The bad model answers with another number. */
const pricing = (say: (price: number, change: number) => string) => (request: FakeRequest): FakeReply => {
  if (request.body?.["tools"] === undefined) return { acts: [{ text: "ok" }] }
  const last = messagesOf(request).at(-1)
  if (last?.["role"] !== "tool") return { acts: [{ call: "get_price", arguments: { coin: "BTC" } }] }
  // The cast is safe, because the content is a result of `get_price`.
  const { change_24h_pct: change, price } = JSON.parse(String(last["content"])) as Record<string, number>
  return { acts: [{ text: say(price!, change!) }] }
}

it("evaluates a model behind an OpenAI-compatible server, and prints a table and the pass rate", async () => {
  const { asked, code, said } = await evaluated(pricing((price, change) => `BTC: ${price} USD, ${change}% in a day.`))
  assert.strictEqual(code, 0)
  assert.match(said, /^price +1\/1 +1\/1 +1\/1$/m)
  assert.match(said, /100\.0 % of 3 pass/)
  assert.isTrue(asked.every(({ headers }) => headers["authorization"] === `Bearer ${key}`))
}, 60_000)

it("exits with 1 if too few questions pass, and prints what failed", async () => {
  const { code, said } = await evaluated(pricing(() => "It is high."), { args: ["--lang", "en"] })
  assert.strictEqual(code, 1)
  assert.match(said, /FAILED price-btc \(en\)/)
  assert.match(said, /does not quote get_price price/)
}, 60_000)

it("sends no question if the model is unavailable, and prints the reason", async () => {
  const refused = await evaluated([{ status: 401, body: { error: { message: `no such key: ${key}`, code: "bad" } } }])
  assert.strictEqual(refused.code, 2)
  assert.match(refused.said, /small cannot be asked: .*key/)
  assert.lengthOf(refused.asked, 1)
  const silent = await evaluated([{ silent: true }], { more: { OPENAI_FIRST_BYTE_TIMEOUT_MS: "100" } })
  assert.strictEqual(silent.code, 2)
  assert.match(silent.said, /nothing came for \d+ ms/)
}, 60_000)

it("reports invalid variables and arguments without a request", async () => {
  const wrong: ReadonlyArray<readonly [Parameters<typeof evaluated>[1], RegExp]> = [
    [{ more: { OPENAI_MODEL: "" } }, /OPENAI_MODEL must name a model/],
    [{ more: { OPENAI_BASE_URL: "localhost:8000" } }, /OPENAI_BASE_URL: /],
    [{ more: { OPENAI_API: "soap" } }, /OPENAI_API: chat or responses/],
    [{ more: { OPENAI_FIRST_BYTE_TIMEOUT_MS: "soon" } }, /OPENAI_FIRST_BYTE_TIMEOUT_MS: milliseconds/],
    [{ args: ["--threshold", "most"] }, /--threshold/],
    [{ args: ["--lang", "de"] }, /--lang/],
    [{ args: ["--sideways"] }, /--sideways/]
  ]
  for (const [given, expected] of wrong) {
    const { asked, code, said } = await evaluated([], given)
    assert.strictEqual(code, 2)
    assert.match(said, expected)
    assert.lengthOf(asked, 0)
  }
}, 60_000)
