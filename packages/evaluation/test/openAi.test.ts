import {
  type FakeReply,
  type FakeRequest,
  type FakeResponseStep,
  type FakeScript,
  startFakeModel
} from "@tapeline/testing/fakeModel"
import { assert, it } from "vitest"
import { runEvaluation } from "../src/runEvaluation.ts"

const key = "sk-not-to-be-told"

const evaluated = async (
  script: FakeScript,
  { args = [], environment = {} }: {
    readonly args?: ReadonlyArray<string>
    readonly environment?: Readonly<Record<string, string>>
  } = {}
) => {
  const fake = await startFakeModel({ script })
  const lines: Array<string> = []
  try {
    const code = await runEvaluation({
      args: ["--only", "price-btc", ...args],
      environment: { OPENAI_BASE_URL: fake.baseUrl, OPENAI_MODEL: "small", OPENAI_API_KEY: key, ...environment },
      writeLine: (line) => lines.push(line)
    })
    const output = lines.join("\n")
    assert.notInclude(output, key)
    return { code, output, requests: fake.log() }
  } finally {
    await fake.close()
  }
}

const messagesOf = ({ body }: FakeRequest): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  const messages = body?.["messages"]
  return Array.isArray(messages) ? messages : []
}

const usage: FakeResponseStep = {
  usage: {
    prompt_tokens: 1_000,
    completion_tokens: 20,
    prompt_tokens_details: { cached_tokens: 600 },
    completion_tokens_details: { reasoning_tokens: 5 }
  }
}

/** A model that calls `get_price`, and then answers with the price. A bad model answers without the price. */
const pricing =
  (makeReplyText: (price: number, change: number) => string, lastSteps: ReadonlyArray<FakeResponseStep> = [usage]) =>
  (request: FakeRequest): FakeReply => {
    if (request.body?.["tools"] === undefined) return { acts: [{ text: "ok" }, ...lastSteps] }
    const last = messagesOf(request).at(-1)
    if (last?.["role"] !== "tool") {
      return { acts: [{ call: "get_price", arguments: { coin: "BTC" } }, ...lastSteps] }
    }
    // The cast is safe, because the content is a result of `get_price`.
    const { change_24h_pct: change, price } = JSON.parse(String(last["content"])) as Record<string, number>
    return { acts: [{ text: makeReplyText(price!, change!) }, ...lastSteps] }
  }

it("evaluates a model behind an OpenAI-compatible server, and prints a table and the pass rate", async () => {
  const { requests, code, output } = await evaluated(
    pricing((price, change) => `BTC: ${price} USD, ${change}% in a day.`)
  )
  assert.strictEqual(code, 0)
  assert.match(output, /^price +1\/1 +1\/1 +1\/1$/m)
  assert.match(output, /100\.0 % of 3 pass/)
  // The request that checks the model does not count.
  assert.match(output, /^input +3,000 +3,000 +3,000$/m)
  assert.match(output, /^ {2}of which cached +1,800 +1,800 +1,800$/m)
  assert.match(output, /^output +60 +60 +60$/m)
  assert.match(output, /^ {2}of which reasoning +15 +15 +15$/m)
  assert.match(output, /^requests +3 +3 +3$/m)
  assert.match(output, /^The provider reported the usage of 3 of 3 questions\.$/m)
  assert.match(output, /^6 figures, of which 0 \(0\.0 %\) match no tool result\.$/m)
  assert.isTrue(requests.every(({ headers }) => headers["authorization"] === `Bearer ${key}`))
}, 60_000)

it("exits with 1 if too few questions pass, and prints what failed", async () => {
  const { code, output } = await evaluated(pricing(() => "It is high: $123,456.78.", []), {
    args: ["--lang", "en", "--show"]
  })
  assert.strictEqual(code, 1)
  assert.match(output, /FAILED price-btc \(en\)/)
  assert.match(output, /does not quote get_price price/)
  assert.match(output, /^The provider reported the usage of 0 of 1 questions\.$/m)
  assert.match(output, /without a source: \$123,456\.78/)
  assert.match(output, /^1 figures, of which 1 \(100\.0 %\) match no tool result\.$/m)
}, 60_000)

it("sends no question if the model is unavailable, and prints the reason", async () => {
  const evaluationResult = await evaluated([{
    status: 401,
    body: { error: { message: `no such key: ${key}`, code: "bad" } }
  }])
  assert.strictEqual(evaluationResult.code, 2)
  assert.match(evaluationResult.output, /small cannot be asked: .*key/)
  assert.lengthOf(evaluationResult.requests, 1)
  const silent = await evaluated([{ silent: true }], { environment: { OPENAI_FIRST_BYTE_TIMEOUT_MS: "100" } })
  assert.strictEqual(silent.code, 2)
  assert.match(silent.output, /nothing came for \d+ ms/)
}, 60_000)

it("reports invalid variables and arguments without a request", async () => {
  const invalidSettings: ReadonlyArray<readonly [Parameters<typeof evaluated>[1], RegExp]> = [
    [{ environment: { OPENAI_MODEL: "" } }, /OPENAI_MODEL must name a model/],
    [{ environment: { OPENAI_BASE_URL: "localhost:8000" } }, /OPENAI_BASE_URL: /],
    [{ environment: { OPENAI_API: "soap" } }, /OPENAI_API: chat or responses/],
    [{ environment: { OPENAI_REASONING_EFFORT: "huge" } }, /OPENAI_REASONING_EFFORT: one of none, minimal/],
    [{ environment: { OPENAI_FIRST_BYTE_TIMEOUT_MS: "soon" } }, /OPENAI_FIRST_BYTE_TIMEOUT_MS: milliseconds/],
    [{ args: ["--threshold", "most"] }, /--threshold/],
    [{ args: ["--lang", "de"] }, /--lang/],
    [{ args: ["--sideways"] }, /--sideways/]
  ]
  for (const [settings, expected] of invalidSettings) {
    const { requests, code, output } = await evaluated([], settings)
    assert.strictEqual(code, 2)
    assert.match(output, expected)
    assert.lengthOf(requests, 0)
  }
}, 60_000)

it("prints the tokens of each question, and of the parts of its requests, without a provider", async () => {
  const lines: Array<string> = []
  const code = await runEvaluation({
    args: ["--tokens", "--only", "price-btc", "--lang", "en"],
    environment: {},
    writeLine: (line) => lines.push(line)
  })
  const output = lines.join("\n")
  assert.strictEqual(code, 0, output)
  const readNumbers = (name: string) =>
    [...(new RegExp(`^ *${name} +(.*)$`, "m").exec(output)?.[1] ?? "").matchAll(/[\d,.]+/g)]
      .map(([digits]) => Number(digits.replaceAll(",", "")))
  const [input = 0] = readNumbers("input")
  const [cached = 0] = readNumbers("of which cached")
  // A question has at least two requests, and each request contains the definitions of all tools.
  assert.isAbove(input, 20_000)
  assert.isAbove(cached, input / 3)
  assert.isBelow(cached, input)
  const shares = ["tool definitions", "instructions", "conversation", "tool calls", "tool results"]
    .map((name) => readNumbers(name)[1]!)
  assert.closeTo(shares.reduce((sum, share) => sum + share), 100, 0.5)
  assert.isAbove(shares[0]!, 80)
  const [before = 0] = readNumbers("before trimming")
  assert.isAtMost(readNumbers("after trimming")[0]!, before)
  assert.match(output, /^Trimming saves [\d.]+ % of the tokens of tool results\.$/m)
}, 60_000)
