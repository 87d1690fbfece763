import {
  calendarDaysIn,
  clockTimesIn,
  namedOffsets,
  partOfDayIn,
  quantitiesIn,
  repeatedDaysIn,
  unknownZoneIn,
  withoutZones
} from "@tapeline/core/agent"
import type { Language } from "@tapeline/core/engine"
import { isKnownTicker } from "@tapeline/core/market"
import { ask, type Planned } from "../intent.ts"
import { isNoCoin } from "../reading/coinNames.ts"
import { interval, intervalMinutes } from "../reading/intervals.ts"
import type { Reading } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { isStockTicker, stocksOf } from "../reading/stockNames.ts"
import { isUnknown } from "../reading/unknownNames.ts"
import { isOnlyTime, unreadTimeIn } from "../reading/unreadTimes.ts"

/** A task that a message schedules, or the reason why no task is created. */
export type Scheduled =
  | { readonly _tag: "Repeated"; readonly call: Planned }
  | { readonly _tag: "Once"; readonly call: Planned; readonly at: string; readonly zone: string }
  | { readonly _tag: "Days" | "Times"; readonly words: string }
  | { readonly _tag: "Zone"; readonly words: string }
  | { readonly _tag: "Interval" | "Unasked" }

const days = new RegExp(
  String
    .raw`(?<![a-z])(?:every|each) (?:single )?(?:day|morning|evening|night|afternoon)(?![a-z])|매일|날마다|(?:아침|저녁)마다|` +
    String
      .raw`(?<![а-я])(?:кажд[а-я]+ (?:день|утро|вечер|ночь)|ежедневно|(?:один )?раз в день|по утрам|по вечерам)(?![а-я])|` +
    String.raw`(?<![a-z])(?:once|one time) (?:a|per|every) day(?![a-z])|하루에? ?한 ?번(?:씩)?`,
  "giu"
)
const daily = /(?<![a-z])daily(?![a-z])/iu

/** Parts of the day, which are removed from a stored question. */
const parts = new RegExp(
  String.raw`(?<![a-z])(?:in the (?:morning|evening|afternoon)|at night)(?![a-z])|` +
    String.raw`(?:아침|저녁|오전|오후)(?:에)?(?= |$)|(?<![а-я])(?:утром|вечером)(?![а-я])`,
  "giu"
)
const beforeTime = /(?:(?<![a-z])(?:at|from)|@|(?<![а-я])во?) ?$/iu
const afterTime = /^(?: ?o'?clock(?![a-z])|에|마다| ?час[а-я]*)/iu

/** Replaces times of day with spaces, except times that are part of the question's subject. */
const withoutTimes = (text: string): string => {
  const letters = text.split("")
  for (const { at, end, isContent } of clockTimesIn(text)) {
    const from = at - (beforeTime.exec(text.slice(0, at))?.[0].length ?? 0)
    if (!isContent) letters.fill(" ", from, end + (afterTime.exec(text.slice(end))?.[0].length ?? 0))
  }
  return letters.join("")
}

/** Reminder requests and polite words, which are removed from a stored question. */
const requests = new RegExp(
  String.raw`(?<![a-z])(?:please|pls|plz|kindly|can you|could you)(?![a-z])|` +
    String
      .raw`(?<![a-z])(?:(?:remind|alert|notify)(?: me)?|(?:ping|warn|message|text) me|let me know)(?: to| of| about| on| with| that)?(?![a-z])|` +
    String
      .raw`(?<![a-z])(?:schedule|(?:set|create|make|add)(?: up)? (?:me )?an? (?:schedule|task|reminder|alarm))(?: to| for| of| about)?(?![a-z])|` +
    String
      .raw`(?:하라고|하도록|하게|라고|하는 ?거|하기)? ?(?:알림|리마인드|리마인더|알람)(?:을|를|으로)? ?(?:해|좀|보내|설정해?|걸어|등록해?|울려)? ?(?:줘|주세요|줄래|달라)?|` +
    String
      .raw`(?:하라고|하도록|라고|하는 ?거) ?(?:알려|말해) ?(?:줘|주세요|줄래)?|예약(?:해|을)? ?(?:줘|주세요)?|부탁(?:해요?|드려요|드립니다|합니다)|` +
    String.raw`(?<![а-я])(?:пожалуйста|плиз|плз)(?![а-я])|` +
    String
      .raw`(?<![а-я])(?:напомина|напомни|уведомля|уведоми|оповеща|оповести|сообща|сообщи)[а-я]*(?: мне| меня)?(?: о| об| про)?(?![а-я])`,
  "giu"
)

/** Words left at the ends of a question after the times were removed. */
const scraps =
  /^(?:[\s,.:;-]|(?:to|and|at|on|in|then|of|from|и|в|чтобы|그리고|에|마다)(?![\p{L}]))+|(?:[\s,:;-]|(?<![\p{L}])(?:to|and|at|on|in|from|and|и|в)(?=[\s,:;-]*$))+$/giu

/** Returns a message without its times, which is the question that a schedule stores; empty if nothing is left. */
export const storedQuestion = (message: string): string => {
  const timed = withoutTimes(withoutZones(message.replaceAll(/\s+/g, " "))).replaceAll(/\(\s*\)/g, " ")
    .replaceAll(interval, " ")
    .replaceAll(days, " ")
  const isDaily = message.search(days) >= 0 || message.search(interval) >= 0
  const rest = (isDaily ? timed : timed.replace(daily, " ")).replaceAll(parts, " ").replaceAll(requests, " ")
  const question = rest.replaceAll(/\s+/g, " ").replaceAll(scraps, "").replaceAll(/ (?=[,.?!])/g, "").trim()
  return /\p{L}/u.test(question) ? question : ""
}

/** The default UTC offset of each language, in hours. */
const usualZone: Readonly<Record<Language, number>> = { en: 0, ko: 9, ru: 3 }

/** Returns whether a word after a time of day belongs to the question and is no time zone. */
const isContent = (name: string): boolean => {
  const words = name.toLowerCase().split(" ")
  return isKnownTicker(name) || isStockTicker(name) || isNoCoin(name) || stocksOf(name, "en").length > 0 ||
    commands.test(words[0] ?? "") || !words.every(isUnknown)
}

/** Returns the default time of a part of the day, in minutes after midnight. */
const usualMinutes = (words: string): number => ({ pm: 900, evening: 1_260, night: 1_260 })[partOfDayIn(words)] ?? 540

const timesIn = (message: string) => clockTimesIn(withoutZones(message)).filter(({ isContent }) => !isContent)

/** Returns the time of day that a message names, in minutes after midnight, or null. */
const minutesIn = (message: string): number | null => {
  const times = timesIn(message)
  return (times.find(({ isExact }) => isExact) ?? times[0])?.value ?? null
}

const unreadIn = (words: string): string | null => unreadTimeIn(withoutZones(words))

const timeOf = (minutes: number): string =>
  [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0")).join(":")

const [minMinutes, maxMinutes] = [5, 43_200]

const taskOf = (message: string, spec: Readonly<Record<string, string | number>>, prompt: string): Planned =>
  ask("create_task", { title: message.slice(0, 80).toWellFormed(), kind: "schedule", spec, prompt })

const zoneOf = ({ lang, question }: Reading): number | null => {
  const [offset = usualZone[lang], ...others] = namedOffsets(question)
  return others.length > 0 ? null : offset
}

const repeats = rule(
  "every|each|schedule|daily|hourly|(?:once|twice|times) (?:an?|per) (?:day|hour)",
  "매일|매\\s?시간|날마다|마다|(?:에|하루)\\s?(?:한|두|세)\\s?번",
  "кажд|ежедневно|ежечасно|по утрам|по вечерам|раза? в (?:день|час)|(?:дважды|трижды) в день"
)

const hourText = String.raw`\d{1,2}(?::\d{2})?(?: ?[ap]\.?m\.?)?`
const endOfHour = String.raw`(?![\p{L}\d%:]|[.,]\d| ?(?:[%$]|percent))`
const dayWords = String
  .raw`(?<=(?<![\p{L}])(?:day|morning|evening|night|afternoon|daily|hours?|minutes?|день|утро|вечер|ночь|час|часа|часов|минут|ежедневно),? )`
/** Matches several times of day, and times that cannot be parsed, because a schedule has only one time. */
const otherTimes = new RegExp(
  String
    .raw`(?:(?<![a-z])at|${dayWords}(?:from|between)) ${hourText}(?:,? (?:and|or|to|till?|until) |, ?| ?[-–] ?)(?:at )?${hourText}${endOfHour}|` +
    String
      .raw`(?:(?<![а-я])во?|${dayWords}(?:со?|от)) ${hourText}(?: (?:и|или|до|по) |, ?| ?[-–] ?)(?:во? )?${hourText}${endOfHour}|` +
    String.raw`\d{1,2}시(?: ?\d{1,2}분| ?반)?(?:와|과|랑|하고|부터|에서| ?[,~-])? ?\d{1,2}시(?!간)|` +
    String.raw`(?<![a-z])at (?:half|quarter)(?: past| to| an?)? [a-z]+|(?<![а-я])в половин[а-я]+ [а-я]+|` +
    String.raw`${dayWords}(?:at |в )\d{1,2} \d{1,2}(?![\d.,:])|` +
    String
      .raw`(?<![a-z])(?:twice|two times|three times|\d+ times) a day(?![a-z])|(?:하루에?|매일) ?(?:두|세|네|\d+) ?번|` +
    String.raw`(?<![а-я])(?:дважды|трижды|(?:два|три|\d+) раза?) в день`,
  "u"
)
/** Matches a number at the beginning of a stored question that may be a time: "9 check BTC", but not "5 best coins". */
const leftHour = /^\d{1,2}(?::\d{2})?(?= (?:check|send|show|give|tell|remind|report|please|to)(?![a-z])|,|$)/u

const otherTimesIn = ({ question, words }: Reading, prompt: string): string | null => {
  const [one, ...others] = timesIn(question)
  const [other] = words.search(interval) >= 0 && one !== undefined ? [one] : others
  return otherTimes.exec(withoutZones(words))?.[0].trim() ??
    (other === undefined ? leftHour.exec(prompt)?.[0] ?? null : question.slice(other.at, other.end).trim())
}

/** Returns the task that a message repeats daily or every few minutes, or null. */
const repeatedOf = (reading: Reading): Scheduled | null => {
  const { question, words } = reading
  if (!repeats.test(words)) return null
  const prompt = storedQuestion(question)
  if (prompt === "") return { _tag: "Unasked" }
  const others = otherTimesIn(reading, prompt)
  if (others !== null) return { _tag: "Times", words: others }
  const [every] = words.match(interval) ?? []
  if (every !== undefined) {
    const minutes = intervalMinutes(every)
    return minutes === null || minutes < minMinutes || minutes > maxMinutes
      ? { _tag: "Interval" }
      : {
        _tag: "Repeated",
        // In "2 and a half hours", 150 minutes are computed from the stated numbers.
        call: {
          ...taskOf(question, { every_min: minutes }, prompt),
          from: quantitiesIn(every).map(({ value }) => value)
        }
      }
  }
  const unread = unreadIn(words)
  if (unread !== null) return { _tag: "Times", words: unread }
  const at = timeOf(minutesIn(question) ?? usualMinutes(words))
  const spec = { at, tz_offset_hours: zoneOf(reading) ?? usualZone[reading.lang] }
  return { _tag: "Repeated", call: taskOf(question, spec, prompt) }
}

const reminds = rule("remind me", "알려|알림|리마인드|브리핑|요약|보내", "напом")
const dated = rule("tomorrow|tonight|today|at \\d+(?::\\d\\d)?(?: ?[ap]m)?", "내일|오늘", "завтра|сегодня|во? \\d")
const awaits = rule("when|if|once|above|below", "면", "когда|если|как только|выше|ниже")
const otherDates = rule(
  "day after tomorrow|next (?:week|month|year)|in \\d+ days?|(?:january|february|march|april|june|july|august|september|october|november|december) \\d",
  "모레|글피|다음\\s?(?:주|달)|\\d+\\s?일\\s?(?:뒤|후)|\\d+월",
  "послезавтра|через|следующ"
)
const onceWords =
  /(?<![a-z])(?:tomorrow|tonight|today)(?![a-z])|(?:내일|오늘)(?:에)?(?= |$)|(?<![а-я])(?:завтра|сегодня)(?![а-я])/giu

const signed = (hours: number): string => hours < 0 ? String(hours) : `+${hours}`

const remindsLater = rule("remind[a-z]*", "알림|리마인드", "напомни")
/** Matches Korean questions about an event of tomorrow. */
const tomorrowsNews =
  /왜|이유|얼마나|어떻게|전망|예상|예측|확률|될|할까|발표|일정|예정|열리|있는|있을|나오는|회의|fomc|만기|상장|실적|언락/iu

/** Returns whether a message asks in Korean for an answer at a time tomorrow: "내일 9시에 비트코인 가격 알려줘". */
const asksTomorrow = (words: string): boolean => {
  if (!/(?<![가-힣])내일/u.test(words) || !reminds.test(words) || tomorrowsNews.test(words)) return false
  const unread = unreadIn(words)
  return unread === null ? minutesIn(words) !== null : isOnlyTime(unread)
}

/** Returns the task that a message runs once at a time of day, or null. */
const onceOf = (reading: Reading): Scheduled | null => {
  const { lang, question, words } = reading
  if (!reminds.test(words) || !dated.test(words) || awaits.test(words) || otherDates.test(words)) return null
  const minutes = minutesIn(question)
  const unread = unreadIn(words)
  if (unread !== null && (minutes !== null || remindsLater.test(words) || asksTomorrow(words))) {
    return { _tag: "Times", words: unread }
  }
  if (minutes === null) return null
  const prompt = storedQuestion(question.replaceAll(onceWords, " "))
  if (prompt === "") return { _tag: "Unasked" }
  const at = timeOf(minutes)
  const hours = zoneOf(reading) ?? usualZone[lang]
  const task = taskOf(question, { at, tz_offset_hours: hours }, prompt)
  return {
    _tag: "Once",
    call: ask(task.name, { ...task.arguments, max_runs: 1 }),
    at,
    zone: signed(hours)
  }
}

const commands = rule(
  "send|give|show|check|report|remind|run|analy[sz]e|summari[sz]e|brief|alert|notify|ping|schedule|update",
  "보내|알려|확인|보고|브리핑|요약|분석|예약|리마인드",
  "присылай|пришли|проверяй|проверь|проверить|показывай|показать|покажи|прислать|сообщить|напоминай|напомни|сообщай|отправляй|делай|анализируй"
)
const reminders = rule(
  "send|remind|alert|notify|ping|schedule",
  "알림|예약|리마인드",
  "присылай|напоминай|напомни|проверяй|показывай|сообщай|отправляй|анализируй"
)
const questions = rule("why|how|what|which|does|did|do|is|was", "왜|어때|얼마|어떻게", "почему|как|что|сколько|зачем")

/** Matches time ranges in questions about the past. */
const ranges = rule(
  "today|yesterday|(?:this|last|past) (?:\\d+ )?(?:hours?|days?|weeks?|months?|years?)|since|of the (?:day|month|year)",
  "오늘|어제|이번\\s?(?:주|달)|지난|최근|올해|작년",
  "сегодня|вчера|за (?:последн|прошл|эт)|на (?:этой|прошлой)|в (?:этом|прошлом)"
)
/** Matches repeated times within a range, such as "each hour today", which are rows of a table and no schedule. */
const repeatedInRange = rule(
  "(?:every|each) [a-z]+ (?:today|yesterday|(?:of the (?:day|month|year)|this|last|past|over the|during|since)(?: [a-z]+)?)",
  "(?:이번\\s?(?:주|달)|지난\\s?(?:주|달)|올해|작년|오늘|어제)\\s?(?:동안\\s?)?매(?:일|\\s?시간|주|달)",
  "кажд[а-я]+ (?:день|час|неделю|месяц) (?:сегодня|вчера|(?:за|на|в) (?:эт|прошл|последн|течение))"
)

export const repeatedInRangeIn = (words: string): string | null => repeatedInRange.exec(words)?.[0] ?? null

/** Matches repeated times that make a schedule of any message that is no question. */
const repeatedly = rule(
  "every (?:morning|day|evening|night|week)|(?:once|twice|times) (?:a|per) day",
  "(?<!매)매일(?!지)|매시간|마다|하루에?\\s?(?:한|두|세)\\s?번",
  "кажд(?:ое|ый|ую|ого) (?:утро|день|вечер)|ежедневно|раза? в день|(?:дважды|трижды) в день"
)
const politely = rule("can you|could you|will you|would you", "줄래|주실|주시겠|줄 수", "можешь|можете|мог(?:ли)? бы")
const asksFirst =
  /^(?:and |so |but )?(?:why|how|what|what's|which|when|who|does|did|do|is|are|was|were|should|has|have)(?![a-z])|^(?:почему|как|что|сколько|зачем|какой|какая|какие|стоит ли)(?![а-я])/u
/** Matches "show" without "me", which asks for an answer now and no schedule. */
const showsNow = /^(?:please )?(?:show|display|plot|draw) (?!me(?![a-z])|us(?![a-z]))/u

/** Matches a message that begins with the times of a schedule, whose question follows. */
const timesFirst = rule("^(?:every|each|daily)", "^매일|^매시간", "^кажд|^ежедневно")

const isQuestion = (words: string): boolean =>
  asksFirst.test(words) || showsNow.test(words) || (/\?\s*$/u.test(words) && !politely.test(words)) ||
  (questions.test(words) && !timesFirst.test(words) && !commands.test(words) && !reminders.test(words))

/** Returns whether a message asks for something at a time of every day, at a time tomorrow, or on named days. */
export const asksByTimes = (words: string): boolean => {
  if (isQuestion(words) || repeatedInRangeIn(words) !== null) return false
  if (repeatedly.test(words) || words.match(interval)?.some((found) => found !== "hourly")) return true
  if (asksTomorrow(words) && !awaits.test(words)) return true
  const isAt = minutesIn(words) !== null
  const isReminder = reminders.test(words)
  if (calendarDaysIn(words) !== null) {
    const limit = repeatedDaysIn(words)
    if (isReminder) return isAt || limit !== null
    const isFirst = limit !== null && words.startsWith(limit) && /^(?:every|each|weekdays|кажд)/u.test(words)
    return !questions.test(words) && (isAt || isFirst) && (commands.test(words) || (isAt && isFirst))
  }
  const isTimed = words.search(interval) >= 0 || (isAt && repeats.test(words))
  if (!isTimed || questions.test(words)) return false
  // The times of a schedule are at the beginning or the end of a message.
  return isReminder || (commands.test(words) && !ranges.test(words) && words.includes(storedQuestion(words)))
}

/**
 * Returns the task that a message schedules, or the reason why no task is created; null if the message schedules
 * nothing.
 */
export const scheduledOf = (reading: Reading): Scheduled | null => {
  const { question, words } = reading
  const days = repeatedInRangeIn(words) ?? calendarDaysIn(words)
  // "알려 줘" also asks for an answer now.
  const isReminder = reminds.test(words) &&
    (minutesIn(question) !== null || remindsLater.test(words))
  const isTimed = repeats.test(words) || isReminder || asksByTimes(words)
  const limit = repeatedDaysIn(words)
  const isCondition = awaits.test(words) && (limit === null || (/^on (?:the )?\d/u.test(limit) && !repeats.test(words)))
  if (days !== null && isTimed && !isCondition) return { _tag: "Days", words: days }
  const scheduled = repeatedOf(reading) ?? onceOf(reading)
  if (scheduled === null) return null
  const zone = unknownZoneIn(question, isContent)
  if (zone !== null) return { _tag: "Zone", words: zone }
  return zoneOf(reading) === null ? { _tag: "Zone", words: namedOffsets(question).map(signed).join(", ") } : scheduled
}
