import { assert, describe, it } from "@effect/vitest"
import type { AnswerInputs } from "../../src/agent/context/answerInputs.ts"
import { composeRequest, estimateRequestTokens } from "../../src/agent/context/composeRequest.ts"
import { selectTools } from "../../src/agent/context/selectTools.ts"
import { callableEntries, makeCatalogue } from "../../src/engine/tool/catalogue.ts"
import { specifications } from "../../src/specifications.ts"
import { generation } from "./MachineRun.ts"

const tools = callableEntries(makeCatalogue(specifications))

const inputs: AnswerInputs = {
  brief: generation.brief,
  question: {
    id: 1,
    role: "user",
    content: "why?",
    createdAt: 0,
    lang: "en",
    images: [],
    charts: [],
    tools: [],
    suggestions: [],
    outcome: null
  },
  history: [],
  summary: null,
  images: new Map(),
  replacedWrites: [],
  accepted: null,
  proposals: [],
  replacedProposals: [],
  tools,
  now: "2026-01-01T00:00:00Z"
}

describe("selectTools", () => {
  const names = (
    question: string,
    maxTokens = 3_000,
    earlierQuestions = "",
    mentionedTools: ReadonlyArray<string> = []
  ) =>
    selectTools({ tools, question, earlierQuestions, mentionedTools: new Set(mentionedTools), maxTokens }).map((
      { name }
    ) => name)

  it("returns all tools if they fit, else a deterministic subset in their order", () => {
    const all = tools.map(({ name }) => name)
    assert.deepStrictEqual(names("why?", 100_000), all)
    const some = names("why?")
    assert.isBelow(some.length, all.length)
    assert.deepStrictEqual(some, all.filter((name) => some.includes(name)))
    assert.deepStrictEqual(names("why?"), some)
  })

  it("prefers tools that match the question or an earlier question, in each language", () => {
    const reading = tools.filter(({ name }) => /^(?:get|search|screen|compare|run|make)_/.test(name))
    const selectFor = (question: string, earlierQuestions = "") =>
      selectTools({ tools: reading, question, earlierQuestions, mentionedTools: new Set(), maxTokens: 3_000 }).map((
        { name }
      ) => name)
    for (
      const question of ["ETH implied volatility and skew?", "이더리움 옵션 스큐 어때?", "Какой скос опционов эфира?"]
    ) {
      assert.include(selectFor(question), "get_iv_metrics", question)
      assert.include(selectFor(question), "get_price", question)
      assert.notInclude(selectFor(question), "get_kr_disclosures", question)
    }
    assert.include(selectFor("and now?", "오늘 코스피 어때?"), "get_kr_market")
  })

  it("prefers tools that write and tools that the request mentions", () => {
    const some = names("why?", 4_500, "", ["run_walk_forward"])
    assert.include(some, "run_walk_forward")
    assert.include(some, "set_position")
  })

  it("keeps a request within its budget", () => {
    for (const tokens of [2_850, 5_700, 12_000, 60_000]) {
      const budget = { tokens, resultTokens: 1_000, outputTokens: 1_000 }
      const request = composeRequest({ inputs, finishedSteps: [], step: 1, isLastStep: false, budget })
      assert.isAtMost(estimateRequestTokens(request), tokens)
      assert.isAbove(request.tools.length, 4)
    }
  })
})
