import {
  describeCall,
  doubtfulIn,
  fractionOf,
  loosePrices,
  unreadIn,
  unusedWords,
  type WriteRequest,
  writeRequestsIn
} from "@tapeline/core/agent"
import { isKnownTicker } from "@tapeline/core/market"
import type { Schema } from "effect"
import type { Findings } from "../Findings.ts"
import { ask, type Intent, type Planned } from "../intent.ts"
import { coinsOf } from "../reading/coinNames.ts"
import { plain } from "../reading/rule.ts"
import { isStockTicker } from "../reading/stockNames.ts"
import { storedWords } from "../stored.ts"
import { text } from "../writing/text.ts"
import { questions } from "./questions.ts"
import {
  all,
  amendmentIn,
  asPosition,
  notOpened,
  only,
  openPosition,
  positionOf,
  recording,
  recordOf,
  sizeLine,
  told
} from "./statedPosition.ts"

const said = {
  done: text("Done: {what}.", "완료: {what}.", "Готово: {what}."),
  left: text(
    "Not done: “{what}”. Say it in a sentence of its own, with the record that you mean and its numbers.",
    "하지 않은 것: “{what}”. 어느 기록인지와 숫자를 넣어 따로 한 문장으로 말씀해 주세요.",
    "Не сделано: «{what}». Скажите это отдельной фразой: о какой записи речь и с какими числами."
  ),
  unstated: text(
    "I have written nothing: “{what}” does not say all of it. For instance: “{example}”.",
    "아무것도 기록하지 않았습니다. “{what}”만으로는 내용이 다 정해지지 않습니다. 예: “{example}”.",
    "Я ничего не записал: в «{what}» сказано не всё. Например: «{example}»."
  ),
  unasked: text(
    "Nothing was recorded: the message does not ask for it. To record the position, say “{example}”.",
    "아무것도 기록하지 않았습니다. 기록해 달라는 말씀이 없었습니다. 포지션을 기록하려면 “{example}”라고 말씀해 주세요.",
    "Ничего не записано: вы об этом не просили. Чтобы записать позицию, скажите: «{example}»."
  ),
  which: text(
    "I cannot tell which record you mean: name it by its number.",
    "어느 기록을 말씀하시는지 알 수 없습니다. 번호로 알려 주세요.",
    "Не понимаю, о какой записи речь: назовите её номер."
  ),
  none: text(
    "You have no recorded position in {coin}. A proposal that you have not accepted is not stored.",
    "기록된 {coin} 포지션이 없습니다. 수락하지 않은 제안은 저장되지 않습니다.",
    "Записанной позиции по {coin} нет. Предложение, которое вы не приняли, не сохранено."
  ),
  noTask: text(
    "You have no alert or schedule. A proposal that you have not accepted is not stored.",
    "등록된 알림이나 예약이 없습니다. 수락하지 않은 제안은 저장되지 않습니다.",
    "Оповещений и расписаний у вас нет. Предложение, которое вы не приняли, не сохранено."
  ),
  change: text("{what}.", "{what}.", "{what}."),
  price: text(
    "Say at what price it was closed, as in “close position 17 at 65000”.",
    "청산 가격도 알려 주세요. 예: “17번 포지션 65000에 청산해줘”.",
    "Назовите и цену, например: «закрой позицию 17 по 65000»."
  )
}

const lists: Readonly<Record<string, readonly [tool: string, list: string, subject: string]>> = {
  update_position: ["get_positions", "positions", "coin"],
  close_position: ["get_positions", "positions", "coin"],
  delete_position: ["get_positions", "positions", "coin"],
  update_task: ["get_tasks", "tasks", "spec.symbol"],
  delete_task: ["get_tasks", "tasks", "spec.symbol"]
}

/** Returns the stated record ID, or the ID of the only record of the instrument, or null. */
const idOf = (request: WriteRequest, found: Findings): number | null => {
  const [said] = all(request, "id")
  if (said !== undefined) return said
  const [tool = "", list = "", subject = ""] = lists[request.tool] ?? []
  const side = /short|숏|шорт/iu.test(request.text) ? "short" : /long|롱|лонг/iu.test(request.text) ? "long" : null
  const meant = found.of(tool).list(list).filter((row) =>
    row.str(subject) === request.tickers[0] && (side === null || list === "tasks" || row.str("side") === side)
  )
  return meant.length === 1 ? meant[0]!.num("id") : null
}

/** Returns whether a request changes a position in a coin of which no position is recorded. */
const isWithoutPosition = ({ tickers: [coin], tool }: WriteRequest, found: Findings): boolean => {
  const [list = "", path = ""] = lists[tool] ?? []
  return list === "get_positions" && coin !== undefined && found.came(list)?.ok === true &&
    !found.of(list).list(path).some((row) => row.str("coin") === coin)
}

const priceNow = ({ tickers: [coin] }: WriteRequest, found: Findings): number | null =>
  coin === undefined ? null : found.of("get_price", { coin }).num("price")

const needsPrice = (request: WriteRequest): boolean =>
  request.tool === "close_position" && loosePrices(request).length === 0

/** Returns the arguments that change the record `id`, or null if the message does not state all of them. */
const change = (request: WriteRequest, id: number, found: Findings): Readonly<Record<string, Schema.Json>> | null => {
  const { act } = request
  switch (request.tool) {
    case "delete_position":
    case "delete_task":
      return { id }
    case "update_task":
      return act === "Pause" || act === "Resume" ? { id, status: act === "Pause" ? "paused" : "active" } : null
    case "update_position":
      return { id, ...told(request, "stop", "takes", "leverage", "entry", "size_usd") }
    case "close_position": {
      // The exit price is never guessed: without a price, the call is rejected and then proposed.
      const exit = loosePrices(request)[0]?.value ?? priceNow(request, found)
      const fraction = fractionOf(request)
      return exit === null
        ? null
        : { id, exit, ...(fraction === null ? {} : { fraction }), ...told(request, "fees_usd") }
    }
    default:
      return null
  }
}

/** Returns the stated fields of a risk profile; an unlabelled percentage is the risk per trade. */
const profileOf = (request: WriteRequest): Readonly<Record<string, Schema.Json>> => {
  const said = told(request, "account_usd", "risk_pct", "max_leverage", "max_open_risk_pct")
  const loose = only(request.numbers.filter(({ label, unit }) => label === null && unit === "percent"))
  return said["risk_pct"] !== undefined || loose === undefined ? said : { ...said, risk_pct: loose.value }
}

/** Returns the arguments that a message states, or null if the message does not state all of them. */
const argumentsOf = (request: WriteRequest, found: Findings): Readonly<Record<string, Schema.Json>> | null => {
  const { act, content, tickers, tool } = request
  switch (tool) {
    case "update_watchlist":
      return tickers.length === 0 ? null : act === "Delete" ? { remove: tickers } : { add: tickers }
    case "mark_notifications_read": {
      const ids = all(request, "id")
      return ids.length === 0 ? {} : { ids }
    }
    case "set_risk_profile":
      return profileOf(request)
    case "set_position":
      return positionOf(request)?.args ?? null
    case "add_journal_note": {
      const coin = only(tickers)
      const trade = /trade|거래|매매|сделк/iu.test(request.text) ? only(all(request, "id")) : undefined
      return {
        text: content,
        ...(coin === undefined ? {} : { coin }),
        ...(trade === undefined ? {} : { trade_id: trade })
      }
    }
    default: {
      const id = idOf(request, found)
      return id === null ? null : change(request, id, found)
    }
  }
}

/** Returns whether another intent handles a write request. */
const isOther = (request: WriteRequest): boolean =>
  request.tool === "create_task" || (request.tool === "set_position" && positionOf(request) === null)

/** Returns whether the name next to a record ID may not be an instrument, so the record must be read first. */
const isDoubtful = (request: WriteRequest): boolean =>
  all(request, "id").length > 0 && !request.tickers.every(isKnownTicker)

const planOf = (request: WriteRequest, found: Findings): ReadonlyArray<Planned> => {
  const [list] = lists[request.tool] ?? []
  if (list !== undefined && isDoubtful(request) && found.came(list) === undefined) return [ask(list)]
  const [coin] = request.tickers
  const looks = [
    ...(list !== undefined && all(request, "id").length === 0 ? [ask(list)] : []),
    ...(needsPrice(request) && coin !== undefined ? [ask("get_price", { coin })] : [])
  ]
  const args = argumentsOf(request, found)
  const position = request.tool === "set_position" ? positionOf(request) : null
  if (position !== null) return [...looks, recording(position)]
  return args === null ? looks : [...looks, ask(request.tool, args)]
}

/** Returns the intent that proposes to record a position which a message only states, or null for other messages. */
export const statedPosition = (message: string): Intent | null => {
  const position = message.trim()
  if (/[?？\n]/u.test(position) || notOpened.test(plain(position))) return null
  if (writeRequestsIn(position).length > 0) return null
  const example = recordOf(position)
  const [request, ...others] = writeRequestsIn(example)
  const stated = request?.tool === "set_position" ? positionOf(request) : null
  // A coin and a side without an entry may be an opinion.
  if (stated === null || others.length > 0 || stated.entry === undefined) return null
  const call = recording(stated)
  const isWhole = unusedWords(position, [stated.args], call.from).length === 0
  // A size in words, such as "half a coin", is only read in a request.
  const isSized = !isWhole || unusedWords(example, [stated.args], call.from).length === 0
  return {
    name: "statedPosition",
    asked: () => false,
    plan: () => isSized ? [call] : [],
    write: (_, __, desk) => ({
      verdict: isWhole ? desk.say(said.unasked, { example }) : null,
      evidence: isWhole ? [sizeLine(stated, desk)] : []
    }),
    next
  }
}

/**
 * Returns the intent for a message that changes or records the position of the earlier messages ("stop at 2950", "log
 * it"), or null. If the journal has that position, the intent changes the record.
 */
export const amendedPosition = (message: string, earlier: ReadonlyArray<string>): Intent | null => {
  const open = openPosition(earlier)
  const fields = open === null || coinsOf(message, isStockTicker).coins.length > 0 ? null : amendmentIn(message)
  if (open === null || fields === null) return null
  const position = { ...open, args: { ...open.args, ...fields } }
  const callOf = (found: Findings): Planned => {
    const row = found.of("get_positions").list("positions").find((one) =>
      ["coin", "side", "entry"].every((key) => one.get(key) === open.args[key])
    )
    const id = row?.num("id") ?? null
    return id === null || Object.keys(fields).length === 0
      ? recording(position)
      : ask("update_position", { id, ...fields })
  }
  return {
    name: "requested",
    asked: () => false,
    over: "all",
    needs: ["set_position", "update_position"],
    plan: (_, found) => [
      ask("get_positions"),
      ...(found.came("get_positions") === undefined ? [] : [callOf(found)])
    ],
    write: (_, found, desk) => {
      const { arguments: args, name } = callOf(found)
      const made = found.came(name, args)
      const what = made?.ok === true
        ? storedWords(ask(name, args), made, desk.lang)
        : describeCall(name, args, desk.lang)
      return { verdict: desk.say(made?.ok === true ? said.done : said.change, { what }), evidence: [] }
    },
    next
  }
}

/** Returns the question that a message contains in addition to its write requests, or null if there is no question. */
export const questionBeside = (message: string): string | null => {
  const question = message.split(/(?<=[.!?\n])\s+/u).filter((one) => one.trim().endsWith("?")).join(" ")
  return question === "" || writeRequestsIn(question).length > 0 ? null : question
}

/** Returns whether a message requests a write that another intent handles. */
export const requestedElsewhere = (message: string): boolean => writeRequestsIn(message).some(isOther)

const examples = {
  add_journal_note: text(
    "add a note on BTC: entered too early",
    "비트코인 메모해줘: 너무 빨리 들어갔다",
    "добавь заметку по BTC: рано вошёл"
  ),
  update_position: text(
    "move the stop of position 17 to 58000",
    "17번 포지션 손절가 58000으로 바꿔줘",
    "перенеси стоп позиции 17 на 58000"
  )
}

const next = [
  questions.positions,
  questions.alerts
]

const refusing = (tool: string, write: Intent["write"]): Intent => ({
  name: "unstated",
  asked: () => false,
  over: "all",
  needs: [tool],
  plan: () => [],
  write,
  next
})

/** Returns the intent for a write request with missing values, or null for other messages. */
export const unstatedWrite = (message: string): Intent | null => {
  for (const { text, tool } of unreadIn(message)) {
    if (tool !== "add_journal_note" && tool !== "update_position") continue
    return refusing(tool, (_, __, { lang, say }) => ({
      verdict: say(said.unstated, { what: text, example: examples[tool][lang] }),
      evidence: []
    }))
  }
  return null
}

/** Returns the intent for an ambiguous write request, or null for other messages. */
export const doubtfulWrite = (message: string): Intent | null => {
  const [found] = doubtfulIn(message)
  return found === undefined || found.tool === null
    ? null
    : refusing(found.tool, (_, __, { say }) => ({ verdict: say(said.left, { what: found.text }), evidence: [] }))
}

/**
 * Returns the intent for explicit write requests, or null if other intents handle all of them or there is no request.
 */
export const requestedWrites = (message: string): Intent | null => {
  const requests = writeRequestsIn(message).map(asPosition).filter((request) => !isOther(request))
  if (requests.length === 0) return null
  return {
    name: "requested",
    asked: () => false,
    over: "all",
    needs: requests.map(({ tool }) => tool),
    plan: (_, found) => requests.flatMap((request) => planOf(request, found)),
    write: (_, found, desk) => {
      const { lang, say } = desk
      const done = requests.flatMap((request) => {
        const args = argumentsOf(request, found)
        const made = args === null ? undefined : found.came(request.tool, args)
        return made?.ok === true && args !== null
          ? [say(said.done, { what: storedWords(ask(request.tool, args), made, lang) })]
          : []
      })
      const isLost = requests.some((request) => {
        const [list] = lists[request.tool] ?? []
        return list !== undefined && found.came(list)?.ok === true && idOf(request, found) === null
      })
      const missing = requests.find((request) => isWithoutPosition(request, found))
      const hasNoTask = found.came("get_tasks")?.ok === true && found.of("get_tasks").list("tasks").length === 0
      const absent = missing === undefined
        ? (hasNoTask ? say(said.noTask, {}) : null)
        : say(said.none, { coin: missing.tickers[0] ?? null })
      const isPriceless = requests.some((request) =>
        needsPrice(request) && idOf(request, found) !== null && priceNow(request, found) === null
      )
      const left = unreadIn(message).flatMap(({ text }) => say(said.left, { what: text }) ?? [])
      const [first, ...others] = [
        ...done,
        ...(isLost ? [absent ?? say(said.which, {})] : []),
        ...(isPriceless ? [say(said.price, {})] : []),
        ...requests.map((one) => one.tool === "set_position" ? sizeLine(positionOf(one), desk) : null),
        ...left
      ]
      return { verdict: first ?? null, evidence: others }
    },
    next
  }
}
