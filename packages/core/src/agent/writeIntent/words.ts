import { findMentions } from "../../market/instrumentMentions.ts"
import { quantitiesIn } from "./quantities.ts"
import { folded, readable } from "./readable.ts"

/** Words that change nothing: a text may have them though its writer did not. */
const small = new Set(
  ("a an the of to in on at by for and or is are was were be been it its my i me this that with as from so " +
    "и в на по с к о у а я мой моя мое это при из за для").split(" ")
)

/** Words that a title may have beside the user's own. */
const ofTitles = new Set(
  ("alert watch price above below over under crosses cross reaches hits goes daily hourly morning evening every summary review " +
    "report analysis check schedule reminder notify when if task score gap vwap gt gte lt lte usd minutes hours hour day min " +
    "알림 감시 가격 이상 이하 돌파 도달 하락 상승 매일 매시간 아침 저녁 요약 분석 보고 점검 리포트 브리핑 달러 초과 미만 시 때 " +
    "алерт цена выше ниже достигнет пересечет ежедневно ежедневный ежечасно каждый каждые день час минут утро вечер обзор анализ сводка " +
    "отчет проверка напоминание когда если уведомление").split(" ")
)

const wordsOf = (text: string): ReadonlyArray<string> =>
  text.toLowerCase().match(/(?:[\p{L}\p{M}]|(?<=\p{L})['’](?=\p{L}))+/gu) ?? []

/** Whether one is the other, inflected: most of the longer is how both begin. */
const isForm = (a: string, b: string): boolean => {
  const most = Math.max(a.length, b.length)
  let same = 0
  while (same < Math.min(a.length, b.length) && a[same] === b[same]) same += 1
  // What is attached to a Korean word makes it longer, and does not change it.
  const isStem = same >= 2 && same === Math.min(a.length, b.length) && /^[가-힣]+$/u.test(a + b)
  return same === most || isStem || (same >= 2 && same >= Math.ceil(most * 0.6))
}

/**
 * What of `text` is not the user's own: a word, a number or an instrument that does not stand in `said`. Null when all
 * of it is.
 */
export const foreignIn = (text: string, said: string, isTitle: boolean): string | null => {
  const shown = readable(text)
  if (shown === null) return "markup"
  const read = folded(shown)
  if (/https?:|www\.|<|\[.*\]\(/i.test(read)) return "markup"
  const known = wordsOf(folded(said))
  const tickers = new Set(findMentions(said).map(({ ticker }) => ticker))
  const values = new Set(quantitiesIn(said).map(({ value }) => value))
  const stray = quantitiesIn(read).find(({ value }) => !values.has(value))
  if (stray !== undefined) return String(stray.value)
  if ((read.match(/\p{N}+/gu) ?? []).length > 0 && quantitiesIn(read).length === 0 && !said.includes(read)) {
    return "number"
  }
  const ticker = findMentions(read).find((one) => !tickers.has(one.ticker))
  if (ticker !== undefined) return ticker.ticker
  return wordsOf(read).find((word) =>
    !small.has(word) && !(isTitle && ofTitles.has(word)) && !tickers.has(word.toUpperCase()) &&
    !known.some((own) => isForm(word, own)) && findMentions(word).length === 0
  ) ?? null
}
