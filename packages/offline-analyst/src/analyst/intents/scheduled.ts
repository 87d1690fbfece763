import type { Language } from "@tapeline/core/messages"

/** Words that say when. What is asked at each of those times is the rest. */
const when: Readonly<Record<Language, RegExp>> = {
  en:
    /(?<![a-z])(?:(?:every|each)\s+(?:\d+\s+)?[a-z]+|daily|hourly|at\s+\d{1,2}(?::\d{2})?(?:\s*(?:am|pm))?(?:\s+(?:utc|gmt|kst|msk))?|in the (?:morning|evening))(?![a-z])/giu,
  ko:
    /매일|매시간|날마다|아침(?:에|마다)?|저녁(?:에|마다)?|오전|오후|\d+\s?(?:시간|분)\s?마다|\d{1,2}(?::\d{2}|시(?:\s?(?:\d{1,2}분|반))?)(?:에)?/gu,
  ru:
    /(?<![а-я])(?:кажд[а-я]+\s+(?:\d+\s+)?[а-я]+|ежедневно|ежечасно|во?\s+\d{1,2}(?::\d{2})?(?:\s*(?:час[а-я]*|утра|вечера))?|по (?:мск|москве))(?![а-я])/giu
}

const least = 8

/** What a schedule asks each time that it fires: the question without its times, since a firing makes no schedules. */
export const askedEachTime = (question: string, lang: Language): string => {
  const rest = question.replaceAll(when[lang], " ")
    .replaceAll(/\s+/g, " ").replaceAll(/^[\s,.:;-]+|[\s,:;-]+$/g, "")
  return rest.length >= least ? rest : question
}
