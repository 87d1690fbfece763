import { assert, layer } from "@effect/vitest"
import { mapClock } from "@tapeline/core"
import type { Language } from "@tapeline/core/engine"
import { OfflineAnalyst } from "@tapeline/offline-analyst"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Clock, Duration, Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { converse } from "../src/converse.ts"
import { layerEvaluationEngine, layerFixedClock } from "../src/engine.ts"
import {
  computePassRate,
  evaluateAll,
  evaluateQuestion,
  formatFigures,
  formatTable,
  languages,
  selectAnswerable,
  type Verdict
} from "../src/evaluate.ts"
import type { Question } from "../src/question.ts"
import { questions } from "../src/questions/all.ts"
import { unseen } from "../src/questions/unseen/unseen.ts"
import { renderTranscripts, replaceTranscripts } from "../src/transcripts.ts"
import { loadChecker, resolvePointer } from "./figureChecker.ts"
import { makeRandom, perturbDigits } from "./perturb.ts"

/** The minimum percentage of questions that the offline analyst must answer as expected. */
const threshold = 95
const mostCalls = 8

/** The maximum percentage of numbers of the offline analyst's answers that match no tool result. */
const maxUnmatched = 3
/** The maximum percentage of changed figures that still match a tool result. */
const maxFalseMatches = 5

const allScopes = ["agent:chat", "read:market", "read:personal", "write:personal"] as const

/** Messages with the tool of the proposed write and some of its arguments. Each proposal is accepted by `yes`. */
const conversations: ReadonlyArray<{
  readonly lang: Language
  readonly yes: string
  readonly messages: ReadonlyArray<readonly [message: string, tool: string, args: object]>
}> = [
  {
    lang: "en",
    yes: "yes",
    messages: [
      ["alert me when BTC goes above 100000", "create_task", {
        kind: "watch",
        spec: { metric: "price", symbol: "BTC", op: "gt", value: 100_000 }
      }],
      ["pause my BTC alert", "update_task", { status: "paused" }],
      ["alert me when the ETH score falls below -20", "create_task", {
        spec: { metric: "score", symbol: "ETH", op: "lt", value: -20 }
      }],
      ["Every morning at 9 send me an overview of BTC", "create_task", {
        spec: { at: "09:00", tz_offset_hours: 0 },
        prompt: "send me an overview of BTC"
      }]
    ]
  },
  {
    lang: "en",
    yes: "yes",
    messages: [
      ["Record my long BTC, entry 60000, stop 58000", "set_position", { coin: "BTC", entry: 60_000, stop: 58_000 }],
      ["Move my BTC stop to 59000", "update_position", { stop: 59_000 }],
      ["close half of my BTC long at 65000", "close_position", { exit: 65_000, fraction: 0.5 }],
      ["close my BTC position", "close_position", {}],
      ["Add ETH to my watchlist. What is its funding now?", "update_watchlist", { add: ["ETH"] }]
    ]
  },
  {
    lang: "ko",
    yes: "네",
    messages: [
      ["비트코인 10만 달러 넘으면 알려줘", "create_task", {
        spec: { metric: "price", symbol: "BTC", op: "cross_above", value: 100_000 }
      }],
      ["이더리움 지지선 깨지면 알려줘", "create_task", { kind: "watch" }],
      ["알림 전부 읽음으로 표시해줘", "mark_notifications_read", {}]
    ]
  },
  {
    lang: "ru",
    yes: "да",
    messages: [
      ["Каждый день в 21:00 присылай обзор по биткоину", "create_task", {
        spec: { at: "21:00", tz_offset_hours: 3 },
        prompt: "присылай обзор по биткоину"
      }],
      ["Установи максимальное плечо 10х", "set_risk_profile", { max_leverage: 10 }],
      ["Сообщи, когда биткоин пробьёт сопротивление", "create_task", { kind: "watch" }]
    ]
  }
]

/** A full run asks all questions in all languages. The usual run asks each `step`th question in one language. */
const evaluateSample = (all: ReadonlyArray<Question>, step: number) =>
  isFullRun ? evaluateAll(all) : Effect.forEach(
    selectAnswerable(all).filter((_, i) => i % step === 0),
    (question, i) => evaluateQuestion(question, languages[i % languages.length]!),
    { concurrency: 6 }
  )

const verdicts: Array<Verdict> = []
const unseenVerdicts: Array<Verdict> = []

/** Returns four consecutive English words that a text of another language contains outside quotation marks. */
const englishIn = (text: string): string | null =>
  /(?<![\p{L}/])[a-z]{2,}(?:[ ,]+[a-z]{2,}){3,}/u.exec(text.replace(/[“«‘][^”»’]*[”»’]|`[^`]*`/gu, ""))?.[0] ?? null

/** Gives tools ten times their usual time limit, because a tool can exceed 10 s on a busy machine. */
const layerLongLimits = Layer.effect(
  Clock.Clock,
  Effect.map(Clock.Clock, (clock) =>
    Object.assign(mapClock(clock, (now) => now), {
      sleep: (duration: Duration.Duration) => clock.sleep(Duration.times(duration, 10))
    }))
).pipe(Layer.provide(layerFixedClock))

const engine = layerEvaluationEngine.pipe(Layer.provide(OfflineAnalyst), Layer.provideMerge(layerLongLimits))

layer(engine, { timeout: 240_000, excludeTestServices: true })("the offline analyst", (it) => {
  it.effect("passes the evaluation", () =>
    Effect.gen(function*() {
      verdicts.push(...(yield* evaluateSample(questions, 6)))
      const failed = verdicts.filter(({ faults }) => faults.length > 0)
        .map(({ faults, lang, question }) => `${question.id} (${lang}): ${faults.join("; ")}`)
      assert.isAtLeast(computePassRate(verdicts), threshold, `${formatTable(verdicts)}\n${failed.join("\n")}`)
      for (const lang of languages) {
        const languageVerdicts = verdicts.filter((verdict) => verdict.lang === lang)
        assert.isAtLeast(languageVerdicts.length, isFullRun ? 40 : 4)
        assert.isAtLeast(computePassRate(languageVerdicts), threshold, `${lang}\n${failed.join("\n")}`)
      }
    }), 240_000)

  it.effect("passes the evaluation of questions that traders typed", () =>
    Effect.gen(function*() {
      unseenVerdicts.push(...(yield* evaluateSample(unseen, 12)))
      const failed = unseenVerdicts.filter(({ faults }) => faults.length > 0)
        .map(({ faults, lang, question }) => `${question.id} (${lang}): ${faults.join("; ")}`)
      assert.isAtLeast(computePassRate(unseenVerdicts), threshold, failed.join("\n"))
    }), 240_000)

  it.effect(
    "proposes the write of a message, executes it after a yes, and proposes none to a key that may not write",
    () =>
      Effect.gen(function*() {
        for (const { lang, messages, yes } of conversations) {
          const request = {
            lang,
            messages: messages.flatMap(([message]) => [message, yes]),
            coin: null,
            facts: {},
            journal: []
          }
          const replies = yield* converse({ ...request, scopes: allScopes })
          const readerReplies = yield* converse({
            ...request,
            scopes: ["agent:chat", "read:market", "read:personal"]
          })
          for (const [i, [message, tool, args]] of messages.entries()) {
            const [proposed, accepted] = replies.slice(2 * i)
            const caseName = `${message}: ${proposed?.text}`
            assert.deepStrictEqual(proposed?.proposals.map(({ tool }) => tool), [tool], caseName)
            assert.deepInclude(proposed?.proposals[0]?.arguments, args, caseName)
            assert.deepStrictEqual(accepted?.calls.map(({ name, ok }) => [name, ok]), [[tool, true]], accepted?.text)
          }
          for (const { calls, proposals, text } of readerReplies) {
            assert.deepStrictEqual(proposals, [], text)
            assert.isTrue(calls.every(({ name }) => name.startsWith("get_")), text)
          }
        }
      }),
    60_000
  )

  it.effect("gives the answers that the documentation shows", () =>
    Effect.gen(function*() {
      const page = readFileSync(new URL("../../../docs/offline-analyst.md", import.meta.url), "utf8")
      const pageWithTranscripts = replaceTranscripts(page, yield* renderTranscripts)
      assert.strictEqual(page, pageWithTranscripts, "run `npm run eval:transcripts` to update the page")
    }), 60_000)

  it.effect("states only numbers that a tool result supports, except at most 3 %", () =>
    Effect.sync(() => {
      const all = [...verdicts, ...unseenVerdicts]
      const figures = all.reduce((sum, { reply }) => sum + reply.figures.length, 0)
      const unmatched = all.flatMap(({ lang, question, reply }) =>
        reply.unmatched.map(({ text }) => `${text} in ${question.id} (${lang}): ${reply.text}`)
      )
      console.log(formatFigures(all))
      assert.isAbove(figures, 100)
      assert.isAtMost(100 * unmatched.length / (figures + unmatched.length), maxUnmatched, unmatched.join("\n\n"))
    }))

  it.effect("supports each figure with the value at its path, and calculates the same from the stored steps", () =>
    Effect.gen(function*() {
      for (const verdict of [...verdicts, ...unseenVerdicts]) {
        const { reply } = verdict
        const { sources, check } = yield* loadChecker(verdict)
        assert.deepStrictEqual(check(reply.text), { figures: reply.figures, unmatched: reply.unmatched })
        for (const { call, offset, path, text } of reply.figures) {
          assert.strictEqual(reply.text.slice(offset, offset + text.length), text)
          // A path refers to the whole result, of which the step may contain only a part.
          const results = [sources.get(call), ...reply.calls.map(({ data }) => data)]
          assert.isTrue(results.some((result) => resolvePointer(result, path) !== undefined), `${text} ${call} ${path}`)
        }
      }
    }))

  it.effect("matches at most 5 % of the figures that are changed by 5 to 20 %", () =>
    Effect.gen(function*() {
      const random = makeRandom(1)
      const counts = new Map<Language, { changed: number; matched: number }>()
      let time = 0
      let checks = 0
      for (const verdict of [...verdicts, ...unseenVerdicts]) {
        const { lang, reply } = verdict
        const { check } = yield* loadChecker(verdict)
        const count = counts.get(lang) ?? { changed: 0, matched: 0 }
        counts.set(lang, count)
        for (const { offset, text } of reply.figures.flatMap((figure) => [figure, figure, figure, figure, figure])) {
          const [digits = ""] = /\d(?:[\d.,\u00a0]*\d)?/.exec(text) ?? []
          const changed = perturbDigits(digits, lang, [random(), random()])
          if (changed === null) continue
          const at = offset + text.indexOf(digits)
          const changedText = reply.text.slice(0, at) + changed + reply.text.slice(at + digits.length)
          const from = process.cpuUsage().user
          const { unmatched } = check(changedText)
          time += process.cpuUsage().user - from
          checks += 1
          count.changed += 1
          // A changed figure must be reported. A figure that the check ignores counts as a false match.
          if (!unmatched.some((number) => number.offset === offset)) count.matched += 1
        }
      }
      const rates = [...counts].map(([lang, { changed, matched }]) =>
        `${lang} ${matched}/${changed} (${(100 * matched / changed).toFixed(1)} %)`
      )
      const sum = [...counts.values()].reduce((sum, { changed, matched }) => ({
        changed: sum.changed + changed,
        matched: sum.matched + matched
      }))
      console.log(
        `False matches of changed figures: ${rates.join(", ")}. CPU of one check: ${
          (time / checks / 1000).toFixed(2)
        } ms.`
      )
      assert.isAbove(sum.changed, 100)
      assert.isAtMost(100 * sum.matched / sum.changed, maxFalseMatches, rates.join(", "))
    }), 240_000)

  it.effect("makes few calls without duplicates, and answers in few words", () =>
    Effect.sync(() => {
      for (const { lang, question, reply } of [...verdicts, ...unseenVerdicts]) {
        const caseName = `${question.id} (${lang})`
        assert.isAtMost(reply.calls.length, mostCalls, caseName)
        assert.strictEqual(
          new Set(reply.calls.map((call) => JSON.stringify([call.name, call.arguments]))).size,
          reply.calls.length,
          caseName
        )
        assert.isAtMost(reply.text.split(/\s+/).length, 250, `${caseName}: ${reply.text}`)
        if (lang !== "en") assert.isNull(englishIn(reply.text), `${caseName}: ${reply.text}`)
        assert.isAtMost(
          reply.text.match(/\*\*/g)?.length ?? 0,
          2,
          `${caseName} states the condition for a change twice`
        )
        assert.notMatch(reply.text, /Offline analyst|오프라인 애널리스트|Офлайн-аналитик/u, caseName)
      }
    }))
})
