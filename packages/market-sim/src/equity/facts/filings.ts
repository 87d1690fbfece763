/** Simulates filings of Korean companies, with titles in the style of the Korean regulator's system. */
import { dayMs, type Filing, hourMs, localDay, minuteMs, sessionOf } from "@tapeline/core/market"
import { deriveKey, drawInteger, drawUniform, type Key } from "../../kernel/random.ts"
import { fillTemplate, pickRandom } from "../../kernel/templates.ts"
import type { World } from "../../world.ts"
import type { StockWithMarket } from "../stockWithMarket.ts"
import { formatLocalDate, getAnnouncement, getQuarter, getQuarterNumber, getYear } from "./fiscalQuarters.ts"
import { getValuationKey } from "./statements.ts"

/** The probability that a company publishes an unscheduled filing on a working day. */
const dailyFilingProbability = 0.13

const kinds: ReadonlyArray<{ readonly kind: string; readonly share: number; readonly titles: ReadonlyArray<string> }> =
  [
    {
      kind: "ownership",
      share: 0.34,
      titles: [
        "주식등의대량보유상황보고서([일반|약식])",
        "임원ㆍ주요주주특정증권등소유상황보고서",
        "최대주주등소유주식변동신고서"
      ]
    },
    {
      kind: "contract",
      share: 0.2,
      titles: [
        "단일판매ㆍ공급계약체결",
        "단일판매ㆍ공급계약체결([자율공시|정정])",
        "투자판단관련주요경영사항([공급 양해각서 체결|기술이전 계약])"
      ]
    },
    {
      kind: "capital",
      share: 0.16,
      titles: [
        "주요사항보고서([자기주식취득결정|자기주식처분결정|전환사채권발행결정|유상증자결정])",
        "현금ㆍ현물배당결정",
        "타법인주식및출자증권취득결정"
      ]
    },
    {
      kind: "governance",
      share: 0.14,
      titles: [
        "주주총회소집[결의|공고]",
        "대표이사[변경|(신규선임)변경]",
        "기업지배구조보고서공시",
        "사외이사의선임ㆍ해임또는중도퇴임에관한신고"
      ]
    },
    {
      kind: "other",
      share: 0.16,
      titles: [
        "풍문또는보도에대한해명([미확정|부인])",
        "기업설명회(IR)개최([안내|자율])",
        "신규시설투자등",
        "특수관계인에대한자금대여"
      ]
    }
  ]

const pickKind = (key: Key): (typeof kinds)[number] => {
  let remaining = drawUniform(key, 1)
  for (const kind of kinds) {
    remaining -= kind.share
    if (remaining < 0) return kind
  }
  return kinds.at(-1)!
}

type DatedFiling = Filing & { readonly time: number }

const makeFiling = (
  { spec }: StockWithMarket,
  time: number,
  title: string,
  kind: string,
  sequenceNumber: number
): DatedFiling => ({
  date: formatLocalDate("KR", time),
  time,
  symbol: spec.symbol,
  company: spec.name,
  title,
  url: `https://filings.example/${spec.symbol}/${new Date(time).toISOString().slice(0, 10).replaceAll("-", "")}${
    String(sequenceNumber).padStart(4, "0")
  }`,
  kind
})

/** Returns the filings of one company on one Korean calendar day, oldest first. */
export const getFilingsOfDay = (world: World, listed: StockWithMarket, day: number): ReadonlyArray<DatedFiling> => {
  const { market, spec } = listed
  const session = sessionOf("KR", day)
  if (session === undefined || !market.isTradedAt(session.openAt)) return []
  const filings: Array<DatedFiling> = []
  const draws = deriveKey(world.getKey(`filings ${spec.symbol}`), day, 0)
  if (drawUniform(draws, 0) < dailyFilingProbability) {
    const { kind, titles } = pickKind(draws)
    // Unscheduled filings are published between 07:30 and 18:00 in Seoul.
    const time = day * dayMs - 1.5 * hourMs + Math.floor(10.5 * hourMs * drawUniform(draws, 2))
    filings.push(
      makeFiling(
        listed,
        time,
        fillTemplate(pickRandom(titles, draws, 3), {}, draws, 10),
        kind,
        drawInteger(draws, 4, 9_000)
      )
    )
  }
  const key = getValuationKey(world, spec)
  for (const quartersAgo of [1, 2]) {
    const quarter = getQuarter(day * dayMs) - quartersAgo
    const { time } = getAnnouncement(spec, key, quarter)
    if (localDay("KR", time) !== day) continue
    const period = `${getYear(quarter)}.${String(3 * getQuarterNumber(quarter)).padStart(2, "0")}`
    filings.push(makeFiling(listed, time, "연결재무제표기준영업(잠정)실적(공정공시)", "earnings", 9_100))
    const reportTitle = getQuarterNumber(quarter) === 4
      ? "사업보고서"
      : getQuarterNumber(quarter) === 2
      ? "반기보고서"
      : "분기보고서"
    filings.push(makeFiling(listed, time + 35 * minuteMs, `${reportTitle} (${period})`, "earnings", 9_200))
  }
  return filings.sort((a, b) => a.time - b.time)
}

export const getLatestFilings = (
  world: World,
  companies: ReadonlyArray<StockWithMarket>,
  limit: number,
  now: number
): ReadonlyArray<DatedFiling> => {
  const newest: Array<DatedFiling> = []
  const earliest = Math.min(...companies.map(({ market }) => market.listedAt))
  for (let day = localDay("KR", now); newest.length < limit && day * dayMs > earliest; day--) {
    const today = companies
      .flatMap((listed) => getFilingsOfDay(world, listed, day))
      .filter(({ time }) => time <= now)
      .sort((a, b) => b.time - a.time || b.symbol.localeCompare(a.symbol))
    newest.push(...today)
  }
  return newest.slice(0, limit).toReversed()
}
