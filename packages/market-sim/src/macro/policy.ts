/** Central banks: meeting dates by rule, and policy rates in steps of 0.25 that follow the bank's preferred rate. */
import { dayMs } from "@tapeline/core/market"
import { deriveKey, drawUniform } from "../kernel/random.ts"
import type { World } from "../world.ts"
import { getNthWeekday, type TimeZone, toEpochMs } from "./dates.ts"
import { type EconomicArea, getDesiredRate } from "./economy.ts"
import { isHoliday } from "./holidays.ts"

interface CentralBank {
  readonly name: string
  readonly timeZone: TimeZone
  readonly hours: number
  /**
   * The planned days of the central bank's meetings. `n` is the number of the weekday within the month. Source: the
   * banks' calendars of 2024 to 2026.
   */
  readonly meetings: ReadonlyArray<readonly [month: number, weekday: number, n: number]>
  /** The number of days by which a decision is earlier if its planned day is a holiday. */
  readonly daysBeforeHoliday: number
}

export const centralBanks: Readonly<Partial<Record<EconomicArea, CentralBank>>> = {
  US: {
    name: "FOMC Rate Decision",
    timeZone: "new_york",
    hours: 14,
    meetings: [[1, 3, -1], [3, 3, 3], [4, 3, -1], [6, 3, 3], [7, 3, -1], [9, 3, 3], [10, 3, -1], [12, 3, 2]],
    // The decision of June 2024 was a week before the Juneteenth holiday.
    daysBeforeHoliday: 7
  },
  KR: {
    name: "BoK Base Rate Decision",
    timeZone: "seoul",
    hours: 10,
    meetings: [[1, 4, 3], [2, 4, -1], [4, 4, 2], [5, 4, -1], [7, 4, 3], [8, 4, -1], [10, 4, 4], [11, 4, -1]],
    daysBeforeHoliday: 1
  },
  EU: {
    name: "ECB Deposit Rate Decision",
    timeZone: "frankfurt",
    hours: 14.25,
    meetings: [[2, 4, 1], [3, 4, 3], [4, 4, -1], [6, 4, 2], [7, 4, 4], [9, 4, 2], [10, 4, -1], [12, 4, 3]],
    daysBeforeHoliday: 1
  },
  GB: {
    name: "BoE Bank Rate Decision",
    timeZone: "london",
    hours: 12,
    meetings: [[2, 4, 1], [3, 4, 3], [5, 4, 1], [6, 4, 3], [8, 4, 1], [9, 4, 3], [11, 4, 1], [12, 4, 3]],
    daysBeforeHoliday: 1
  },
  JP: {
    name: "BoJ Policy Rate Decision",
    timeZone: "tokyo",
    hours: 12,
    meetings: [[1, 5, 4], [3, 5, 3], [4, 5, -1], [6, 5, 3], [7, 5, -1], [9, 5, 3], [10, 5, -1], [12, 5, 3]],
    daysBeforeHoliday: 1
  }
}

interface Meeting {
  readonly time: number
  /** The policy rate that the meeting decides, in percent. */
  readonly rate: number
  readonly previousRate: number
  readonly expectedRate: number
}

const rateStep = 0.25
const roundToRateStep = (rate: number): number => Math.round(rate / rateStep) * rateStep

const getMeetingTimes = (area: EconomicArea, bank: CentralBank, year: number): ReadonlyArray<number> =>
  bank.meetings.map(([month, weekday, n]) => {
    let day = getNthWeekday(year, month, weekday, n)
    while (isHoliday(area, day)) day -= bank.daysBeforeHoliday
    return toEpochMs(bank.timeZone, day, bank.hours)
  })

export const getMeetings = (world: World, area: EconomicArea, from: number, to: number): ReadonlyArray<Meeting> => {
  const bank = centralBanks[area]
  if (bank === undefined) return []
  const first = new Date(from).getUTCFullYear() - 1
  const last = new Date(to).getUTCFullYear()
  const times: Array<number> = []
  for (let year = first; year <= last; year++) times.push(...getMeetingTimes(area, bank, year))
  return times.flatMap((time, i) => {
    const previous = times[i - 1]
    if (time < from || time >= to || previous === undefined) return []
    const rate = roundToRateStep(getDesiredRate(world, area, time))
    const previousRate = roundToRateStep(getDesiredRate(world, area, previous))
    // Most decisions are expected, but a few changes are not.
    const isSurprise = rate !== previousRate &&
      drawUniform(deriveKey(world.getKey(`policy ${area}`), Math.floor(time / dayMs), 0), 0) < 0.15
    return [{ time, rate, previousRate, expectedRate: isSurprise ? previousRate : rate }]
  })
}

/** Returns the policy rate at a time in percent, as decided at the last meeting. */
export const getPolicyRate = (world: World, area: EconomicArea, time: number): number => {
  const bank = centralBanks[area]!
  const year = new Date(time).getUTCFullYear()
  const isPast = (meeting: number): boolean => meeting <= time
  const last = getMeetingTimes(area, bank, year).findLast(isPast) ??
    getMeetingTimes(area, bank, year - 1).findLast(isPast)!
  return roundToRateStep(getDesiredRate(world, area, last))
}
