import type { Data, Findings } from "../Findings.ts"
import { ask, type Desk, type Intent, type Planned } from "../intent.ts"
import { numbersOf } from "../reading/numbers.ts"
import type { Reading } from "../reading/reading.ts"
import { changesRecord, ofAlerts, ordinalIn, removesRecord } from "../reading/references.ts"
import { plain, rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { wordOf } from "../writing/vocabulary.ts"
import { questions } from "./questions.ts"
import { watch } from "./watch.ts"

const ofPositions = rule("positions?|trades?|longs?|shorts?", "포지션|롱|숏|매매", "позици|сделк|лонг|шорт")
const ofSchedules = rule(
  "schedules?|summar(?:y|ies)|reports?|reminders?|daily|hourly|every (?:day|hour|morning)",
  "예약|요약|브리핑|매일|리포트",
  "расписани|сводк|отчет|напоминани|ежедневн|кажд"
)
const ofWatches = rule("alerts?|watch(?:es)?", "알림|감시", "алерт|оповещ|наблюден")
const all = rule("all|every(?:thing)?|both", "전부|모두|다|싹", "все|всё|оба|обе")
const last = rule("last", "마지막|최근", "последн")

const said = {
  none: text(
    "You have no alert or schedule, so there is nothing to delete. An open proposal lapses unless you accept it.",
    "등록된 알림이나 예약이 없어 지울 것이 없습니다. 제안은 수락하지 않으면 실행되지 않습니다.",
    "Оповещений и расписаний у вас нет, удалять нечего. Предложение без вашего согласия не выполняется."
  ),
  remove: text(
    "You mean task {id}, {title}: I propose to delete it.",
    "{id}번 ‘{title}’을(를) 말씀하시는 것으로 보고, 삭제를 제안합니다.",
    "Речь о задаче {id}, {title}: предлагаю её удалить."
  ),
  which: text(
    "Which one do you mean? Name it by its number.",
    "어느 것을 말씀하시나요? 번호로 알려 주세요.",
    "Какую из них? Назовите номер."
  ),
  change: text(
    "You mean task {id}, {title}: I propose to change its value to {value}.",
    "{id}번 ‘{title}’의 값을 {value}(으)로 바꾸는 것을 제안합니다.",
    "Речь о задаче {id}, {title}: предлагаю изменить значение на {value}."
  ),
  row: text("Task {id}, {title}: {status}.", "{id}번 {title}: {status}.", "Задача {id}, {title}: {status}.")
}

const rowsIn = (found: Findings): ReadonlyArray<Data> =>
  found.of("get_tasks").list("tasks").filter((row) => row.str("status") !== "done" && row.str("status") !== "expired")

/** Returns the new number of a follow-up such as "make it 115". */
const valueIn = ({ words }: Reading) =>
  numbersOf(words).find(({ kind }) => kind === "plain" || kind === "percent") ?? null

const isRemoval = ({ words }: Reading): boolean => removesRecord.test(words)

/** Returns whether a task may be the one that an earlier question requested, by its instrument and its value. */
const isOf = (row: Data, alert: Reading, { lines }: Reading): boolean => {
  const [symbol, value] = [row.str("spec.symbol"), row.num("spec.value")]
  const stated = numbersOf(lines.join("\n")).map((number) => number.value)
  const symbols = [...alert.coins, ...alert.stocks.map((stock) => stock.symbol)]
  const kind = ofSchedules.test(alert.words) ? "schedule" : "watch"
  return (row.str("kind") ?? kind) === kind && (symbol === null || symbols.length === 0 || symbols.includes(symbol)) &&
    (value === null || stated.length === 0 || stated.includes(value))
}

/** Returns the tasks that a message means: of those of the named coin, the stated one or the newest one. */
const meantIn = (reading: Reading, found: Findings): ReadonlyArray<Data> => {
  const { alert, coins, named, words } = reading
  const rows = rowsIn(found)
  const kind = ofSchedules.test(words) ? "schedule" : ofWatches.test(words) ? "watch" : null
  const own = rows.filter((row) =>
    (!named || coins.includes(row.str("spec.symbol") ?? "")) && (kind === null || row.str("kind") === kind)
  )
  // A change applies to a stored task only if the earlier question contains the value of the task.
  if (!isRemoval(reading)) {
    return own.filter((row) => alert?.numbers.some(({ value }) => value === row.num("spec.value")) === true).slice(0, 1)
  }
  if (all.test(words)) return own
  const at = ordinalIn(words)
  // After several requests, "the first one" may be the first of the conversation or of the list.
  if (at !== null) return alert === null ? own.slice(at, at + 1) : []
  // Tasks are listed newest first.
  if (last.test(words)) return own.slice(0, 1)
  return alert === null ? (own.length === 1 ? own : []) : own.filter((row) => isOf(row, alert, reading)).slice(0, 1)
}

/** Returns the earlier alert with the new number, or null. */
const changedAlert = (reading: Reading): Reading | null => {
  const { alert } = reading
  const value = valueIn(reading)
  const old = alert?.numbers.find(({ kind }) => kind === value?.kind)
  if (alert === null || value === null || old === undefined) return null
  const own = plain(reading.words).slice(value.at).split(/(?<=[\d%kкmм만천])(?![\d.,%kкmм만천])/u)[0]?.trim() ?? ""
  const words = plain(alert.question)
  // "Change it to 61" after "alert btc below 62k" means 61k.
  const scale = /^\$?[\d.,]+ ?(k|к|만|тыс)(?![a-zа-я])/u.exec(words.slice(old.at))?.[1]
  const isSmaller = value.kind === "plain" && value.value * 100 < old.value
  if (isSmaller && scale === undefined) return null
  const scaled = isSmaller ? `${own}${scale ?? ""}` : own
  const after = words.slice(old.at).replace(/^\$?[\d.,]+ ?(?:[kкmм]|만|천|тыс)*(?: ?\d+천)?%?/u, scaled)
  const question = words.slice(0, old.at) + after
  return { ...alert, question, words: question, numbers: numbersOf(question) }
}

/** Returns the changed spec of a watch, or null if its value cannot be replaced by the number. */
const specOf = (row: Data, reading: Reading): Planned["arguments"] | null => {
  const value = valueIn(reading)
  const metric = row.str("spec.metric")
  if (value === null || metric === null || (value.kind === "percent") !== (metric === "gap")) return null
  const fields = ["metric", "market", "symbol", "op", "dir"].flatMap(
    (key): ReadonlyArray<readonly [string, string]> => {
      const field = row.str(`spec.${key}`)
      return field === null ? [] : [[key, field]]
    }
  )
  return { ...Object.fromEntries(fields), value: value.value }
}

const planOf = (reading: Reading, found: Findings): ReadonlyArray<Planned> => {
  const meant = meantIn(reading, found).slice(0, 3)
  const changed = changedAlert(reading)
  if (!isRemoval(reading) && meant.length === 0) {
    const isKnown = found.came("get_tasks") !== undefined
    const value = valueIn(reading)?.value
    const calls = isKnown && changed !== null ? watch.plan(changed, found) : []
    return [
      ask("get_tasks"),
      ...calls.map((call) => ({ ...call, from: [...(call.from ?? []), ...(value === undefined ? [] : [value])] }))
    ]
  }
  return [
    ask("get_tasks"),
    ...meant.flatMap((row): ReadonlyArray<Planned> => {
      const id = row.num("id")
      if (id === null) return []
      if (isRemoval(reading)) return [ask("delete_task", { id })]
      const spec = specOf(row, reading)
      return spec === null ? [] : [ask("update_task", { id, spec })]
    })
  ]
}

const rowWords = (row: Data, { lang, say }: Desk): string | null =>
  say(said.row, {
    id: String(row.num("id") ?? "?"),
    title: row.str("title"),
    status: wordOf(lang, row.str("status"))
  })

/** Changes and deletions of tasks that a message names by a pronoun: "delete it", "make it 115". */
export const recordFollowUp: Intent = {
  name: "recordFollowUp",
  asked: (reading) => {
    const { alert, words } = reading
    if (ofPositions.test(words) && !ofAlerts.test(words)) return false
    if (isRemoval(reading)) return alert !== null || ofAlerts.test(words) || ofSchedules.test(words)
    return changesRecord.test(words) && changedAlert(reading) !== null
  },
  over: "all",
  plan: planOf,
  write: (reading, found, desk) => {
    const { say } = desk
    const rows = rowsIn(found)
    const meant = meantIn(reading, found)
    if (found.of("get_tasks").raw === null) return { verdict: null, evidence: [] }
    const changed = changedAlert(reading)
    if (!isRemoval(reading) && meant.length === 0 && changed !== null) return watch.write(changed, found, desk)
    if (rows.length === 0) return { verdict: say(said.none, {}), evidence: [] }
    if (meant.length === 0) {
      return { verdict: say(said.which, {}), evidence: rows.slice(0, 6).map((row) => rowWords(row, desk)) }
    }
    const [first, ...others] = meant.slice(0, 3).map((row) => {
      const values = { id: String(row.num("id") ?? "?"), title: row.str("title") }
      return isRemoval(reading)
        ? say(said.remove, values)
        : say(said.change, { ...values, value: desk.format.plain(valueIn(reading)?.value ?? null) })
    })
    return { verdict: first ?? null, evidence: others }
  },
  next: [questions.alerts]
}
