/**
 * Stories about companies: results, strong days, analysts' changes of mind, disclosures.
 */
import { type Filing, localDay, previousSession, sessionOf } from "@tapeline/core/market"
import { earningsEvent } from "../equity/facts/earnings.ts"
import { filingsOn } from "../equity/facts/filings.ts"
import { announcementOf, quarterOf } from "../equity/facts/fiscal.ts"
import { gradeChanges } from "../equity/facts/ratings.ts"
import { valuationKey } from "../equity/facts/statements.ts"
import type { Listed } from "../equity/listed.ts"
import { fill, pick, type Values } from "../kernel/grammar.ts"
import { derive } from "../kernel/random.ts"
import type { World } from "../world.ts"
import { delayMs, type NewsLanguage, percent, type Story, toneOf } from "./story.ts"

const amount = (listed: Listed, x: number): string =>
  listed.spec.currency === "USD" ? `$${x.toFixed(2)}` : `${Math.round(x).toLocaleString("en-US")}원`

/** Results announced with `from <= time < to`. */
const resultStories = (world: World, listed: Listed, from: number, to: number): ReadonlyArray<Story> => {
  const { spec } = listed
  const key = valuationKey(world, spec)
  return [1, 2].flatMap((ago): ReadonlyArray<Story> => {
    const quarter = quarterOf(from) - ago
    const { time } = announcementOf(spec, key, quarter)
    if (time < from || time >= to) return []
    const event = earningsEvent(world, listed, quarter, time)
    const draws = derive(world.key(`news results ${spec.symbol}`), quarter, 0)
    const surprise = (event.eps! - event.epsEstimate) / Math.abs(event.epsEstimate)
    const beat = surprise > 0
    const met = event.eps === event.epsEstimate
    const language: NewsLanguage = spec.country === "KR" ? "ko" : "en"
    const values: Values = {
      name: spec.name,
      sector: spec.sector,
      period: event.period,
      eps: amount(listed, event.eps!),
      estimate: amount(listed, event.epsEstimate),
      pct: percent(surprise)
    }
    return [{
      time: time + Math.min(delayMs(draws, 0), 12 * 60_000),
      language,
      coins: [],
      symbols: [spec.symbol],
      sentiment: toneOf(6 * surprise),
      title: language === "ko"
        ? fill(
          `{name} {period} 주당순이익 {eps}… [시장|컨센서스] ${met ? "부합" : beat ? "상회" : "하회"}`,
          values,
          draws,
          10
        )
        : fill(
          met
            ? "{name} meets estimates with {period} profit of {eps} a share"
            : beat
            ? "{name} [beats|tops] estimates with {period} profit of {eps} a share"
            : "{name} [misses|falls short of] estimates: {period} profit {eps} a share",
          values,
          draws,
          10
        ),
      body: language === "ko"
        ? fill(
          `{name}은(는) {period} 주당순이익이 {eps}라고 공시했다. 시장 예상치 {estimate} 대비 {pct} ${
            met ? "차이로 부합했다" : beat ? "높은 호실적이다" : "낮은 수준이다"
          }. [회사는 하반기 수요 회복을 기대한다고 밝혔다.|증권가는 목표주가 조정에 나설 것으로 보인다.|원가 부담과 환율이 변수로 꼽힌다.]`,
          values,
          draws,
          20
        )
        : fill(
          `{name} reported {period} earnings of {eps} a share, ${
            met ? "in line with" : beat ? "{pct} above" : "{pct} below"
          } the {estimate} that analysts had forecast. [Management ${
            beat ? "raised" : "kept"
          } its outlook for the year|The company ${
            beat ? "pointed to resilient demand" : "blamed higher costs and cautious customers"
          }|Margins ${
            beat ? "widened" : "narrowed"
          } from a year earlier], [and said spending plans are unchanged|and a call with investors follows|as {sector} peers prepare to report]. [The shares react in the next session.|Cash flow stayed positive.]`,
          values,
          draws,
          20
        ),
      key: draws
    }]
  })
}

/** A stock's last price at a close, and shares of then for one of the reference: their product knows no splits. */
export type Closes = (listed: Listed, closeAt: number) => { readonly price: number; readonly shares: number }

/** Days of so many usual deviations are news. */
const newsworthy = 2.4

/** A strong day told after the close, of sessions that closed with `from <= close < to`. */
const dayStories = (world: World, closes: Closes, listed: Listed, from: number, to: number): ReadonlyArray<Story> => {
  const { spec } = listed
  const days = [...new Set([localDay(spec.country, from), localDay(spec.country, to - 1)])]
  return days.flatMap((day): ReadonlyArray<Story> => {
    const candidate = sessionOf(spec.country, day)
    if (candidate === undefined || candidate.closeAt < from || candidate.closeAt >= to) return []
    const close = closes(listed, candidate.closeAt)
    const before = closes(listed, previousSession(spec.country, day).closeAt)
    const change = close.price * close.shares / (before.price * before.shares) - 1
    if (Math.abs(change) < newsworthy * spec.dailySd) return []
    const draws = derive(world.key(`news days ${spec.symbol}`), candidate.day, 0)
    const up = change > 0
    const language: NewsLanguage = spec.country === "KR" ? "ko" : "en"
    const values: Values = {
      name: spec.name,
      symbol: spec.symbol,
      sector: spec.sector,
      pct: percent(change),
      price: amount(listed, close.price)
    }
    return [{
      time: candidate.closeAt + delayMs(draws, 0),
      language,
      coins: [],
      symbols: [spec.symbol],
      sentiment: toneOf(change / spec.dailySd / 3),
      title: language === "ko"
        ? fill(`{name} {pct} ${up ? "[급등|강세]" : "[급락|약세]"} 마감`, values, draws, 10)
        : fill(
          up
            ? "{name} shares [jump|rally] {pct} [to close at {price}|in heavy trading]"
            : "{name} shares [slide|drop] {pct} [to close at {price}|in heavy trading]",
          values,
          draws,
          10
        ),
      body: language === "ko"
        ? fill(
          `{name}({symbol}) 주가가 {pct} ${
            up ? "오른" : "내린"
          } {price}에 거래를 마쳤다. [외국인과 기관의 수급이 엇갈렸다.|업종 전반의 투자심리가 영향을 줬다.] [증권가 해석은 나뉜다.|거래량도 평소를 웃돌았다.]`,
          values,
          draws,
          20
        )
        : fill(
          `{name} ({symbol}) ${
            up ? "rose" : "fell"
          } {pct} to {price} at the close. [The move stood out within the {sector} group|It was among the widest swings of the session], [on volume well above average|with options activity picking up]. [No single headline explained it.|Analysts were divided over what comes next.]`,
          values,
          draws,
          20
        ),
      key: draws
    }]
  })
}

/** Changes of mind of analysts told with `from <= time < to`. */
const ratingStories = (world: World, listed: Listed, from: number, to: number): ReadonlyArray<Story> =>
  gradeChanges(world, listed, from, to).map(({ time, firm, before, after, target, better }) => {
    const draws = derive(world.key(`news ratings ${listed.spec.symbol}`), Math.floor(time / 60_000), 0)
    const values: Values = {
      name: listed.spec.name,
      firm,
      before: before.replace("_", " "),
      after: after.replace("_", " "),
      target: amount(listed, target)
    }
    return {
      time: time + delayMs(draws, 0),
      language: "en",
      coins: [],
      symbols: [listed.spec.symbol],
      sentiment: better ? 0.5 : -0.5,
      title: fill(
        better ? "{firm} upgrades {name} to {after}" : "{firm} downgrades {name} to {after}",
        values,
        draws,
        10
      ),
      body: fill(
        `Analysts at {firm} moved {name} from {before} to {after} with a price target of {target}. [${
          better
            ? "They see earnings power that the market undervalues"
            : "They warn that expectations have run ahead of earnings"
        }|The note ${
          better ? "cites improving margins" : "cites weaker orders"
        }], [and expects the next report to settle the debate|while keeping estimates broadly unchanged].`,
        values,
        draws,
        20
      ),
      key: draws
    }
  })

const filingBodies: Readonly<Record<string, ReadonlyArray<string>>> = {
  contract: [
    "이번 계약은 최근 매출액의 일정 비율에 해당하며 계약 기간은 공시를 통해 공개됐다.",
    "상대방과 금액은 경영상 비밀유지 요청에 따라 일부 유보됐다."
  ],
  capital: [
    "회사 측은 주주가치와 재무구조를 고려한 결정이라고 설명했다.",
    "이사회 결의에 따른 것으로, 일정은 변경될 수 있다."
  ],
  governance: ["주주총회 안건과 일정은 추후 확정된다.", "이사회 구성 변화가 경영에 미칠 영향이 주목된다."]
}

const filingStory = (world: World, filing: Filing): Story => {
  const draws = derive(world.key(`news filings ${filing.symbol}`), Math.floor(filing.time / 60_000), 0)
  return {
    time: filing.time + delayMs(draws, 0),
    language: "ko",
    coins: [],
    symbols: [filing.symbol],
    sentiment: filing.kind === "contract" ? 0.35 : 0,
    title: `${filing.company}, ${filing.title} 공시`,
    body: `${filing.company}이(가) '${filing.title}'을(를) 공시했다. ${
      pick(filingBodies[filing.kind]!, draws, 20)
    } 공시 원문은 ${filing.url} 에서 확인할 수 있다.`,
    key: draws
  }
}

/** Everything about companies that became known with `from <= time < to`. */
export const companyStories = (world: World, closes: Closes, from: number, to: number): ReadonlyArray<Story> => {
  const us = world.equities.listed("US")
  const korea = world.equities.listed("KR")
  const days = [...new Set([localDay("KR", from), localDay("KR", to - 1)])]
  return [
    ...[...us, ...korea].flatMap((
      listed
    ) => [...resultStories(world, listed, from, to), ...dayStories(world, closes, listed, from, to)]),
    ...us.flatMap((listed) => ratingStories(world, listed, from, to)),
    ...korea.flatMap((listed) =>
      days.flatMap((day) => filingsOn(world, listed, day))
        .filter(({ time, kind }) => time >= from && time < to && filingBodies[kind] !== undefined)
        .map((filing) => filingStory(world, filing))
    )
  ]
}
