import { words } from "./pattern.ts"

const weekdays = {
  en: "(?:mon|tues|wednes|thurs|fri|satur|sun)days?",
  ko: "[월화수목금토일]요일",
  ru: "понедельник|вторник|сред(?:а|у|ы|ам)(?![а-я])|четверг|пятниц|суббот|воскресень"
}

/** Repeated days that no schedule supports: weekdays, intervals of several days, weeks, months and years. */
const repeated = words(
  `(?:every|each|except|without|but not)(?: on)? (?:${weekdays.en}|mon|tue|wed|thu|fri|sat|sun)|(?:mon|tue|wed|thu|fri)-(?:wed|thu|fri|sat|sun)|` +
    "(?:on |every |each )?week ?days?|(?:on |every |each |except )?week ?ends?|(?:on|every|each) (?:business|working|trading) days?|" +
    "(?:every|each) (?:(?:other|second|third|\\d+|two|three) )?(?:weeks?|months?|years?|quarters?)|" +
    "(?:every|each) (?:other|second|third|\\d+|two|three) days?",
  `매주|매달|매월|매년|격주|격일|평일|주말|이틀마다|사흘마다|\\d+ ?(?:일|주|달|개월)마다|(?:${weekdays.ko})(?:마다|은? ?(?:제외|빼고))`,
  "(?:(?:по|в|кроме) )?(?:будн|выходны)|по рабочим|еженедельно|ежемесячно|раз в (?:недел|месяц)|через день|" +
    `кажд[а-я]+ (?:${weekdays.ru}|(?:\\d+ |две |два |три )?(?:недел|месяц|год)|(?:\\d+|два|три) (?:дн|ден)|второй)|` +
    `(?:по|кроме) (?:${weekdays.ru})`
)

/** Days that may also be content: "every day send me the options that expire on Friday". */
const single = words(
  `${weekdays.en}|weekly|monthly|yearly|quarterly`,
  weekdays.ko,
  `${weekdays.ru}|еженедельн|ежемесячн`
)

const daily = words(
  "(?:every|each) (?:single )?(?:day|morning|evening|night|afternoon|hour|\\d+)|daily|hourly",
  "매일|날마다|매시간|아침마다|저녁마다",
  "кажд[а-я]+ (?:день|утро|вечер|ночь|час|\\d+)|ежедневно|ежечасно|по утрам|по вечерам"
)

/** Returns the match of a pattern with the rest of its last word; null if there is no match. */
const wordsAt = (text: string, pattern: RegExp): string | null => {
  const found = pattern.exec(text)
  if (found === null) return null
  const end = found.index + found[0].length
  return `${found[0]}${/^[а-я]*/iu.exec(text.slice(end))?.[0] ?? ""}`.trim()
}

/** Returns the words of a text that name repeated days; null if there are none. */
export const repeatedDaysIn = (text: string): string | null => wordsAt(text, repeated)

/** Returns the words that limit a schedule to some days; null if it runs every day or more often. */
export const calendarDaysIn = (text: string): string | null =>
  repeatedDaysIn(text) ?? (daily.test(text) ? null : wordsAt(text, single))
