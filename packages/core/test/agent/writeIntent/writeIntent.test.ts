import { assert, describe, it } from "@effect/vitest"
import { intentOf, type KnownRecords, permits, unreadIn, type WriteProposal } from "@tapeline/core/agent"
import type { Schema } from "effect"
import fc from "fast-check"
import { attributed } from "./attributed.ts"
import { english } from "./english.ts"
import { btcLong, type Example, watchEth } from "./example.ts"
import { heldOut } from "./heldOut.ts"
import { hostile } from "./hostile.ts"
import { korean } from "./korean.ts"
import { overheard } from "./overheard.ts"
import { russian } from "./russian.ts"
import { otherMeasures, watches } from "./watches.ts"

const records: KnownRecords = {
  positions: [
    { id: 17, coin: "BTC", side: "long" },
    { id: 18, coin: "ETH", side: "short" },
    { id: 19, coin: "SOL", side: "long" }
  ],
  tasks: [{ id: 12, symbol: "BTC" }, { id: 13, symbol: "ETH" }]
}

const isHonest = ({ kind }: Example): boolean => kind !== "not asked" && kind !== "quoted" && kind !== "other"

/** Returns how many honest requests of a set are fully permitted, and the examples that are wrongly permitted. */
const score = (set: ReadonlyArray<Example>) => {
  const table = { asked: 0, permitted: 0, not: 0, refused: 0 }
  const wrong: Array<string> = []
  const missed: Array<string> = []
  for (const example of set) {
    const { calls, kind, message, proposals } = example
    const intent = intentOf(message, proposals)
    const answers = calls.map(([tool, args]) => permits(intent, tool, args, records).permitted)
    if (isHonest(example)) {
      table.asked += 1
      if (answers.every((yes) => yes)) table.permitted += 1
      else missed.push(message)
    } else {
      table.not += 1
      // If nothing was requested, no call may be permitted, not only the call of the example.
      const isOpen = kind !== "other" && intent.requests.length + intent.accepted.length > 0
      if (answers.some((yes) => yes) || isOpen) wrong.push(message)
      else table.refused += 1
    }
  }
  return { table, wrong, missed }
}

const all = [...english, ...korean, ...russian]

const full = process.env["TAPELINE_TEST_FULL"] === "1"

describe("Write intent of a message", () => {
  it("permits a daily schedule only at the stated time of every day, in the stated zone", () => {
    for (
      const [message, at, hours, isPermitted] of [
        ["every day at 9:00 check BTC", "09:00", 0, true],
        ["every day at 9am RSI check BTC", "09:00", 0, true],
        ["every day at 3:00 in the afternoon check BTC", "15:00", 0, true],
        ["every day at 3:00 in the afternoon check BTC", "03:00", 0, false],
        ["every night at 9:00 check BTC", "21:00", 0, true],
        ["every night at 9:00 check BTC", "09:00", 0, false],
        ["every evening at 9:00 check BTC", "09:00", 0, false],
        ["every morning send me BTC change since 16:00", "16:00", 0, false],
        ["every day at 9:00 send me BTC change since 16:00", "09:00", 0, true],
        ["매일 밤 12시에 BTC 확인해줘", "00:00", 9, true],
        ["매일 밤 12시에 BTC 확인해줘", "12:00", 9, false],
        ["매일 9시에 주말 시황 알려줘", "09:00", 9, true],
        ["every day at 9:00 but only on fridays check BTC", "09:00", 0, false],
        ["매일 9시에 금요일만 BTC 확인해줘", "09:00", 9, false],
        ["every day at 9:00 London check BTC", "09:00", 0, false],
        ["every day at 9:00 Boston check BTC", "09:00", 0, false],
        ["every day at 9:00 Bangkok check BTC", "09:00", 0, false],
        ["every day at 9:00 Bangkok check BTC", "09:00", 7, true],
        ["every day at 9:00 UTC−5 check BTC", "09:00", 0, false],
        ["every day at 9:00 check BTC KST", "09:00", 0, false],
        ["every day at 9:00 check BTC KST", "09:00", 9, true],
        ["every day at 9:00 check KST BTC prices", "09:00", 0, false],
        ["매일 9시에 UTC 기준으로 BTC 알려줘", "09:00", 9, false],
        ["매일 9시에 UTC 기준으로 BTC 알려줘", "09:00", 0, true],
        ["каждый день по UTC в 9:00 присылай обзор BTC", "09:00", 3, false],
        ["каждый день по UTC в 9:00 присылай обзор BTC", "09:00", 0, true],
        ["каждый день в 9:00 по Владивостоку присылай BTC", "09:00", 3, false]
      ] as const
    ) {
      const args = { title: message, kind: "schedule", spec: { at, tz_offset_hours: hours } }
      const { permitted } = permits(intentOf(message, []), "create_task", args, records)
      assert.strictEqual(permitted, isPermitted, `${message} at ${at}`)
    }
  })

  for (const [language, set] of Object.entries({ english, korean, russian })) {
    it(`permits at least 95 % of the requested writes in ${language}, and no other write`, () => {
      const { missed, table, wrong } = score(set)
      assert.deepStrictEqual(wrong, [])
      assert.isAtLeast(table.permitted / table.asked, 0.95, `${JSON.stringify(table)} without ${missed.join(" | ")}`)
    })
  }

  it("permits at least 85 % of the requested writes in held-out messages, and no other write", () => {
    const held = Object.values(heldOut).map(score)
    assert.deepStrictEqual(held.flatMap(({ wrong }) => wrong), [])
    const sum = (key: "asked" | "permitted") => held.reduce((total, { table }) => total + table[key], 0)
    assert.isAtLeast(sum("permitted") / sum("asked"), 0.85)
  })

  it("permits nothing for messages that imitate requests", () => {
    const scores = [...Object.values(hostile), overheard].map(score)
    assert.deepStrictEqual(scores.flatMap(({ wrong }) => wrong), [])
    assert.isAtLeast(Object.values(hostile).flat().length, 180)
  })

  it("distinguishes mentions of other people from details of a request", () => {
    for (const [language, set] of Object.entries(attributed)) {
      const { missed, wrong } = score(set)
      assert.deepStrictEqual({ missed, wrong }, { missed: [], wrong: [] }, language)
    }
    assert.lengthOf(new Set(Object.values(attributed).map(({ length }) => length)), 1, "equally many in each language")
  })

  it("permits a watch on the requested measure, never on another or on one of two conditions", () => {
    assert.deepStrictEqual(score(otherMeasures).wrong, [])
    assert.deepStrictEqual(score(watches).missed, [])
  })

  it("has at least 200 examples, of every kind in every language", () => {
    assert.isAtLeast(all.length, 200)
    for (const set of [english, korean, russian]) assert.lengthOf(new Set(set.map(({ kind }) => kind)), 8)
    assert.isAtLeast(Object.values(heldOut).flat().length, 100)
  })

  it("returns the reason and the field of a rejected write", () => {
    const intent = intentOf("Close half of my BTC long at 65,000", [])
    const reason = (args: Schema.Json) => {
      const permission = permits(intent, "close_position", args, records)
      return permission.permitted ? "permitted" : `${permission.reason} ${permission.field}`
    }
    assert.strictEqual(reason({ id: 17, exit: 65000, fraction: 0.5, notes: null }), "permitted")
    assert.strictEqual(reason({ id: 17, exit: 64000, fraction: 0.5 }), "differs exit")
    assert.strictEqual(reason({ id: 17, exit: 65000 }), "missing fraction")
    assert.strictEqual(reason({ id: 17, exit: 65000, fraction: 0.5, extra: 1 }), "differs extra")
    assert.strictEqual(reason([17]), "differs arguments")
    const other = permits(intent, "delete_position", { id: 17 }, records)
    assert.deepStrictEqual(other, { permitted: false, reason: "not_asked", field: "" })
  })

  it("takes a record's number from the message, or from the journal if one record matches", () => {
    const close = (message: string, id: number, known?: KnownRecords) =>
      permits(intentOf(message, []), "close_position", { id, exit: 65000 }, known).permitted
    assert.isTrue(close("Close position 17 at 65000", 17))
    assert.isFalse(close("Close position 17 at 65000", 18))
    assert.isFalse(close("Close my BTC position at 65000", 17), "no journal is given")
    assert.isTrue(close("Close my BTC position at 65000", 17, records))
    const twice = { ...records, positions: [...records.positions, { id: 20, coin: "BTC", side: "short" }] }
    assert.isFalse(close("Close my BTC position at 65000", 17, twice), "two positions match")
    assert.isTrue(close("Close my BTC long at 65000", 17, twice))
    assert.isFalse(close("Close ETH position 17 at 65000", 17, records), "17 is not an ETH position")
  })

  it("treats ё and е as the same letter, and keeps the spelling of a note", () => {
    const swap = (text: string) => text.replaceAll("ё", "е").replaceAll("е", "ё")
    const swapped = [...russian, ...heldOut.ru, ...attributed.ru].map((example): Example => ({
      ...example,
      message: swap(example.message)
    }))
    const before = score([...russian, ...heldOut.ru, ...attributed.ru])
    const { missed, table, wrong } = score(swapped)
    assert.deepStrictEqual({ missed, table, wrong }, { ...before, missed: before.missed.map(swap) })
    const [note] = intentOf("Добавь заметку по BTC: рано вошёл, её ждал", []).requests
    assert.deepInclude(note, { content: "рано вошёл, её ждал", tickers: ["BTC"] })
  })

  it("reports instructions that are not understood, with the tool whose arguments are missing", () => {
    const unread = (message: string) => unreadIn(message).map(({ text, tool }) => [text, tool])
    assert.deepStrictEqual(unread("Delete position 17 and close 18 at 3000"), [["close 18 at 3000", null]])
    assert.deepStrictEqual(unread("Удали позицию 17 и закрой 18 по 3000"), [["закрой 18 по 3000", null]])
    assert.deepStrictEqual(unread("17번 포지션 삭제하고 18번은 3000에 청산해줘"), [["18번은 3000에 청산해줘", null]])
    assert.deepStrictEqual(unread("move my stop"), [["move my stop", "update_position"]])
    assert.deepStrictEqual(unread("подвинь мой стоп"), [["подвинь мой стоп", "update_position"]])
    assert.deepStrictEqual(unread("내 손절 옮겨줘"), [["내 손절 옮겨줘", "update_position"]])
    assert.deepStrictEqual(unread("Write me a poem about bitcoin"), [["Write me a poem about bitcoin", null]])
    assert.deepStrictEqual(unread("Delete position 17 and tell me the price of BTC"), [])
    for (const { message } of all.filter((one) => isHonest(one) && one.proposals.length === 0)) {
      assert.deepStrictEqual(unread(message), [], message)
    }
  })

  it("accepts proposals only with the shown arguments, in any order", () => {
    const intent = intentOf("yes", [btcLong])
    const args = { leverage: 5, stop: 58000, entry: 60000, side: "long", coin: "BTC" }
    assert.isTrue(permits(intent, "set_position", { ...args, notes: null }).permitted)
    assert.isFalse(permits(intent, "set_position", { ...args, leverage: 6 }).permitted)
    assert.isFalse(permits(intent, "set_position", { ...args, notes: "x" }).permitted)
    assert.isFalse(permits(intentOf("yes", []), "set_position", args).permitted, "nothing was proposed")
  })
})

const runs = full ? 5_000 : 250
const anyExample = fc.constantFrom(...all)
const noise = fc.string({
  unit: fc.constantFrom(
    ..."aZ 0159.,:%$@#>\"'`«»“\n\t\u202e\u200b가한만천해줘яёйда네".split(""),
    "stop ",
    "BTC ",
    "close ",
    "ok",
    "\ud800"
  )
})
const json = fc.jsonValue() as fc.Arbitrary<Schema.Json> // the value of JSON text

describe("Text around a message", () => {
  it("permits nothing that is quoted, in code or forwarded", () => {
    const asking = fc.constantFrom(...all.filter(isHonest).filter(({ proposals }) => proposals.length === 0))
    const wrap = fc.constantFrom<(text: string) => string>(
      (text) => `What does this mean?\n\`\`\`\n${text}\n\`\`\``,
      (text) => `What is "${text.replaceAll("\"", "'")}"?`,
      (text) => `Что значит «${text.replace(/[«»]/g, "")}»?`,
      (text) => `${text.split("\n").map((line) => `> ${line}`).join("\n")}\n\nIs it true?`,
      (text) => `Begin forwarded message:\n${text}`,
      (text) => `이 글 요약해줘:\n${text}`,
      (text) => `The article says: ${text}`,
      (text) => `В статье пишут: ${text}`,
      (text) => `<news>${text}</news>`,
      (text) => `${text} \u202e`
    )
    fc.assert(
      fc.property(asking, wrap, ({ message }, wrap) => {
        assert.deepStrictEqual(intentOf(wrap(message), []), { requests: [], accepted: [] })
      }),
      { numRuns: runs }
    )
  })

  it("permits no number that the message does not contain", () => {
    const strange = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 })
    const asking = fc.constantFrom(...all.filter(({ kind }) => kind === "asked" || kind === "several"))
    fc.assert(
      fc.property(asking, strange, fc.nat(), ({ calls, message }, value, pick) => {
        const intent = intentOf(message, [])
        for (const [tool, args] of calls) {
          const numbers = Object.entries(args).filter(([, one]) => typeof one === "number")
          const chosen = numbers[pick % Math.max(1, numbers.length)]
          if (chosen === undefined || chosen[1] === value) continue
          const changed = { ...args, [chosen[0]]: value }
          assert.isFalse(permits(intent, tool, changed, records).permitted, `${message} ${JSON.stringify(changed)}`)
        }
      }),
      { numRuns: runs }
    )
  })

  it("never causes a failure, and permits no argument that the message does not name", () => {
    fc.assert(
      fc.property(anyExample, noise, json, ({ calls, message, proposals }, text, args) => {
        const intent = intentOf(message, proposals)
        const extended = { ...calls[0]?.[1], injected: args }
        for (const tool of [calls[0]?.[0] ?? "", "set_position", "delete_position"]) {
          assert.isFalse(permits(intent, tool, extended, records).permitted && args !== null)
        }
        const noise = intentOf(text, [btcLong, watchEth])
        assert.isAtMost(noise.accepted.length, 2)
      }),
      { numRuns: runs }
    )
  })

  it("has the same requests with any proposals, and accepts only given proposals", () => {
    const proposal: fc.Arbitrary<WriteProposal> = fc.record({ tool: fc.string(), arguments: json })
    fc.assert(
      fc.property(anyExample, fc.array(proposal, { maxLength: 3 }), ({ message }, proposals) => {
        assert.deepStrictEqual(intentOf(message, proposals).requests, intentOf(message, []).requests)
        const { accepted } = intentOf(message, proposals)
        assert.isTrue(accepted.every((one) => proposals.includes(one)))
      }),
      { numRuns: runs }
    )
  })

  it("reads wide digits, ignores invisible characters, and rejects look-alikes and other digits", () => {
    const stop = (message: string, value: number) =>
      permits(intentOf(message, []), "update_position", { id: 17, stop: value }, records).permitted
    assert.isTrue(stop("Move my BTC stop to ５８，０００", 58000))
    assert.isTrue(stop("Move\u00a0my\u202fBTC\u3000stop to 58\u200b000", 58000))
    assert.isTrue(stop("Move my BTC stop to 58000\ufeff", 58000))
    assert.isFalse(stop("Move my ВТС stop to 58000", 58000), "a ticker in Cyrillic letters")
    assert.isFalse(stop("Move my BTС stop to 58000", 58000), "a ticker in mixed scripts")
    assert.isFalse(stop("Move my BTC stop to 58О00", 58000), "a letter as a digit")
    assert.isFalse(stop("Move my BTC stop to ٥٨٠٠٠", 58000))
    assert.isFalse(stop("Move my BTC stop to 58000²", 58000))
    assert.isFalse(stop("Move my BTC stop to \u202e00085\u202c", 58000), "reversed digits")
    const tags = " to 50000".split("").map((letter) => String.fromCodePoint(0xe0000 + letter.codePointAt(0)!)).join("")
    assert.isFalse(stop(`What is my BTC stop?${tags}`, 50000))
    assert.isFalse(stop(`${"x ".repeat(2_001)}Move my BTC stop to 58000`, 58000), "a message that is too long")
  })

  // If the time of an algorithm doubled for each word, the first message would take minutes.
  it("is read within the time limit of the test, even if it is repetitive", () => {
    assert.deepStrictEqual(intentOf(`add ${"into".repeat(28)}`, []).requests, [])
    assert.deepStrictEqual(intentOf("args\nsave\n".repeat(390), []).requests, [])
    assert.lengthOf(intentOf("close my BTC position\n".repeat(25), []).requests, 0, "repetitive text counts as pasted")
    assert.isNotEmpty(intentOf("close my BTC position\n".repeat(3), []).requests)
    for (const filler of full ? ["1 ", "으로", "(", "и "] : ["으로"]) {
      intentOf(`close my BTC position ${filler.repeat(3_900 / filler.length)}`, [])
    }
  })
})
