import { wordPattern } from "../../engine/text/wordPattern.ts"

const weekdays = {
  en: "(?:mon|tues|wednes|thurs|fri|satur|sun)days?",
  ko: "[월화수목금토일]요일",
  ru: "понедельник|вторник|сред(?:а|у|ы|ам)(?![а-я])|четверг|пятниц|суббот|воскресень"
}
const shortDays = `(?:${weekdays.en}|mon|tues?|wed|thurs?|thu|fri|sat|sun)`
const anyDays = `(?:${shortDays}|week ?days?|week ?ends?)`

/** Repeated days that no schedule supports: weekdays, intervals of several days, weeks, months and years. */
const repeated = wordPattern(
  `(?:every|each|except|without|only|but(?: not)?)(?: (?:on|for))?(?: the)? ${anyDays}|on (?:the )?week ?(?:days?|ends?)|` +
    `${shortDays} ?(?:to|through|thru|till|until|and|or|&|-|–) ?${shortDays}|weekdays|weekends? only|on (?:mon|tues|wednes|thurs|fri|satur|sun)days|` +
    "on (?:the )?\\d{1,2}(?:st|nd|rd|th)|(?:on|every|each) (?:business|working|trading) days?|" +
    `on the (?:first|last) (?:${shortDays}|day of|week of|(?:business|working|trading) day)|` +
    "(?:every|each) (?:(?:other|second|third|\\d+|two|three) )?(?:weeks?|months?|years?|quarters?(?! (?:of|hour)))|" +
    "(?:every|each) (?:other|second|third|\\d+|two|three) days?",
  "매주|매달|매월|매년|격주|격일|이틀마다|사흘마다|\\d+ ?(?:일|주|달|개월)마다|\\d+일(?:에만|만(?!에))|" +
    "(?:평일|주말)(?=마다|에|만|은? ?(?:제외|빼고)| ?(?:매일|아침|저녁|오전|오후|밤|새벽|\\d))|" +
    `(?:${weekdays.ko})(?:마다|에?만|은? ?(?:제외|빼고))|` +
    "[월화수목금토일](?:요일)?(?: ?[~-] ?|부터 ?)[월화수목금토일](?:요일)?까지|[월화수목금토일] ?~ ?[월화수목금토일]",
  "(?:по|в|кроме|на|только|каждые) (?:будн|выходны)|по рабочим|еженедельно|ежемесячно|раз в (?:недел|месяц)|через день|" +
    `кажд[а-я]+ (?:${weekdays.ru}|(?:\\d+ |две |два |три )?(?:недел|месяц|год)|(?:\\d+|два|три) (?:дн|ден)|второй)|` +
    `(?:по|кроме|только|только во?) (?:${weekdays.ru})|с (?:${weekdays.ru})[а-я]* (?:по|до) (?:${weekdays.ru})|` +
    "с пн по|пн-|\\d{1,2}-?(?:го|е)? числ"
)

/** Days that may also be content: "every day send me the options that expire on Friday". */
const single = wordPattern(weekdays.en, weekdays.ko, weekdays.ru)

/** Adjectives that may also be content: "remind me tomorrow to check the weekly chart". */
const adjectives = wordPattern("weekly|monthly|yearly|quarterly", "(?!)", "еженедельн|ежемесячн")

const daily = wordPattern(
  "(?:every|each) (?:single )?(?:day|morning|evening|night|afternoon|hour|half|(?:other|two|three|four|six|twelve) (?:hours?|minutes?)|\\d+)|daily|hourly",
  "매일|날마다|매 ?시간|아침마다|저녁마다|(?:\\d+ ?분|(?:\\d+|한|두|세|네|반) ?시간) ?(?:마다|에 ?한)",
  "кажд[а-я]+ (?:день|утро|вечер|ночь|час|полчаса|две|два|три|четыре|шесть|\\d+)|ежедневно|ежечасно|по утрам|по вечерам"
)
const once = wordPattern("tomorrow|tonight|today", "내일|오늘", "завтра|сегодня")

/** Returns the match of a pattern with the rest of its last word; null if there is no match. */
const wordsAt = (text: string, pattern: RegExp): string | null => {
  const found = pattern.exec(text)
  if (found === null) return null
  const end = found.index + found[0].length
  return `${found[0]}${/^[а-я]*/iu.exec(text.slice(end))?.[0] ?? ""}`.trim()
}

/** Returns the words of a text that name repeated days; null if there are none. */
export const repeatedDaysIn = (text: string): string | null => wordsAt(text, repeated)

/** Returns the words that limit a schedule to some days; null if it runs once, every day or more often. */
export const calendarDaysIn = (text: string): string | null => {
  const days = repeatedDaysIn(text)
  if (days !== null || daily.test(text)) return days
  return wordsAt(text, single) ?? (once.test(text) ? null : wordsAt(text, adjectives))
}
