import { zoneWords } from "@tapeline/core/agent"
import type { Language } from "@tapeline/core/messages"
import { plain, rule } from "../reading/rule.ts"

/** Words that say when. What is asked at each of those times is the rest. */
const when: Readonly<Record<Language, RegExp>> = {
  en:
    /(?<![a-z])(?:(?:every|each)\s+(?:\d+\s+)?[a-z]+|daily|hourly|(?:at\s+\d{1,2}(?::\d{2})?(?:\s*(?:am|pm))?|\d{1,2}(?::\d{2})?\s?(?:am|pm))|in the (?:morning|evening))(?![a-z])/giu,
  ko:
    /매일|매시간|날마다|아침(?:에|마다)?|저녁(?:에|마다)?|오전|오후|\d+\s?(?:시간|분)\s?마다|\d{1,2}(?::\d{2}|시(?:\s?(?:\d{1,2}분|반))?)(?:에)?/gu,
  ru:
    /(?<![а-я])(?:кажд[а-я]+\s+(?:\d+\s+)?[а-я]+|ежедневно|ежечасно|во?\s+\d{1,2}(?::\d{2})?(?:\s*(?:час[а-я]*|утра|вечера))?|по (?:мск|москве))(?![а-я])/giu
}

const least = 8

/** What a schedule asks each time that it fires: the question without its times, since a firing makes no schedules. */
export const askedEachTime = (question: string, lang: Language): string => {
  const rest = question.replaceAll(zoneWords, " ").replaceAll(when[lang], " ")
    .replaceAll(/\s+/g, " ").replaceAll(/^[\s,.:;-]+|[\s,:;-]+$/g, "")
  return rest.length >= least ? rest : question
}

/** Words of a time that comes once, and of nothing that is waited for. */
const reminds = rule("remind me", "알려|알림|리마인드", "напомни")
const dated = rule("tomorrow|tonight|today|at \\d", "내일|오늘|모레", "завтра|сегодня|в \\d")
const awaits = rule("when|if|once|above|below", "면", "когда|если|как только|выше|ниже")
const clock =
  /(?<!\d)(?:(\d{1,2}):(\d{2})|(\d{1,2})\s?(am|pm)|(오전|오후|아침|저녁)?\s?(\d{1,2})시|в (\d{1,2}) ?(?:час[а-я]* )?(утра|вечера)?)(?!\d)/u

/** What is asked for once, at a time of day: the time, and what is to be done then. Null where that is not it. */
export const askedOnce = (question: string): { readonly at: string; readonly prompt: string } | null => {
  const words = plain(question)
  if (!reminds.test(words) || !dated.test(words) || awaits.test(words)) return null
  const found = clock.exec(words)
  if (found === null) return null
  const [all, hour24, minute, hour12, half, part, hourKo, hourRu, partRu] = found
  const hour = Number(hour24 ?? hour12 ?? hourKo ?? hourRu)
  const isLate = half === "pm" || part === "오후" || part === "저녁" || partRu === "вечера"
  const shifted = isLate && hour < 12 ? hour + 12 : half === "am" && hour === 12 ? 0 : hour
  if (shifted > 23) return null
  const task = words.replace(all, " ").replaceAll(zoneWords, " ").replace(
    /(?<![a-z])(?:remind me|tomorrow|tonight|today|at|please)(?![a-z])/gu,
    " "
  )
    .replace(/내일|오늘|모레|에(?= )|알려\s?(?:줘|주세요)|알림/gu, " ").replace(/напомни(?:те)?|завтра|сегодня/gu, " ")
    .replace(/\s+/g, " ").replace(/^[\s,.:]*(?:to )?|[\s,.:]+$/gu, "")
  return { at: `${String(shifted).padStart(2, "0")}:${minute ?? "00"}`, prompt: task.length >= least ? task : question }
}
