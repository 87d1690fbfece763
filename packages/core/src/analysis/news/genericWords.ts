import { splitWords, type Word } from "./words.ts"

/** The words of questions that match nearly every article, or that describe the articles rather than their subject. */
const genericStems = new Set(
  splitWords(
    "price prices news latest update headlines article recent new newest current major biggest largest important " +
      "upcoming today week month year overview summary summarize explain details " +
      "가격 시세 뉴스 소식 기사 최근 최신 주요 새로운 이번 현재 요약 정리 상황 내용 " +
      "цена цены новости статьи последние недавние новые свежие крупные крупнейшие главные важные сегодня неделя месяц " +
      "год обзор итоги сводка подробности объясни"
  ).map(({ stem }) => stem)
)

/** The generic Korean words that also occur at the end of compounds, as in 최신뉴스. */
const genericKoreanEnding = /(?:뉴스|소식|기사)$/u

/** Matches the English names of months and days of the week. */
const calendarName =
  /^(?:january|february|march|april|june|july|august|september|october|november|december|(?:mon|tues|wednes|thurs|fri|satur|sun)day)$/u

export const isGenericStem = (stem: string): boolean => genericStems.has(stem)

/** Returns whether a word does not name a subject: a generic word, or a name of a month or a day. */
export const isGenericWord = ({ stem, text }: Word): boolean =>
  isGenericStem(stem) || genericKoreanEnding.test(stem) || calendarName.test(text)
