/** Compares the calendars with NYSE's "Holidays and trading hours" and with KRX's market holidays. */
import {
  dayMs,
  dayNumber,
  isTradingDay,
  lastInterbankTime,
  sessionOf,
  sessionState,
  weekday
} from "@tapeline/core/market"
import { describe, expect, it } from "vitest"

/** Returns the weekdays of a year on which an exchange is closed, as `MM-DD`. */
const holidays = (country: "US" | "KR", year: number): string => {
  const sessionNames: Array<string> = []
  for (let day = dayNumber(year, 1, 1); day <= dayNumber(year, 12, 31); day++) {
    if (weekday(day) % 6 !== 0 && !isTradingDay(country, day)) {
      sessionNames.push(new Date(day * dayMs).toISOString().slice(5, 10))
    }
  }
  return sessionNames.join(" ")
}

const published: Readonly<Record<"US" | "KR", Readonly<Record<number, string>>>> = {
  US: {
    2021: "01-01 01-18 02-15 04-02 05-31 07-05 09-06 11-25 12-24",
    2022: "01-17 02-21 04-15 05-30 06-20 07-04 09-05 11-24 12-26",
    2023: "01-02 01-16 02-20 04-07 05-29 06-19 07-04 09-04 11-23 12-25",
    2024: "01-01 01-15 02-19 03-29 05-27 06-19 07-04 09-02 11-28 12-25",
    2025: "01-01 01-09 01-20 02-17 04-18 05-26 06-19 07-04 09-01 11-27 12-25",
    2026: "01-01 01-19 02-16 04-03 05-25 06-19 07-03 09-07 11-26 12-25"
  },
  KR: {
    2017: "01-27 01-30 03-01 05-01 05-03 05-05 05-09 06-06 08-15 10-02 10-03 10-04 10-05 10-06 10-09 12-25 12-29",
    2018: "01-01 02-15 02-16 03-01 05-01 05-07 05-22 06-06 06-13 08-15 09-24 09-25 09-26 10-03 10-09 12-25 12-31",
    2019: "01-01 02-04 02-05 02-06 03-01 05-01 05-06 06-06 08-15 09-12 09-13 10-03 10-09 12-25 12-31",
    2020: "01-01 01-24 01-27 04-15 04-30 05-01 05-05 08-17 09-30 10-01 10-02 10-09 12-25 12-31",
    2021: "01-01 02-11 02-12 03-01 05-05 05-19 08-16 09-20 09-21 09-22 10-04 10-11 12-31",
    2022: "01-31 02-01 02-02 03-01 03-09 05-05 06-01 06-06 08-15 09-09 09-12 10-03 10-10 12-30",
    2023: "01-23 01-24 03-01 05-01 05-05 05-29 06-06 08-15 09-28 09-29 10-02 10-03 10-09 12-25 12-29",
    2024: "01-01 02-09 02-12 03-01 04-10 05-01 05-06 05-15 06-06 08-15 09-16 09-17 09-18 10-01 10-03 10-09 12-25 12-31",
    2025: "01-01 01-27 01-28 01-29 01-30 03-03 05-01 05-05 05-06 06-03 06-06 08-15 10-03 10-06 10-07 10-08 10-09 "
      + "12-25 12-31",
    2026: "01-01 02-16 02-17 02-18 03-02 05-01 05-05 05-25 06-03 07-17 08-17 09-24 09-25 10-05 10-09 12-25 12-31",
    // Chuseok falls on National Foundation Day, so the 5th is a substitute holiday by the current law.
    2028: "01-26 01-27 01-28 03-01 04-12 05-01 05-02 05-05 06-06 07-17 08-15 10-02 10-03 10-04 10-05 10-09 12-25 12-29"
  }
}

describe("exchange hours", () => {
  it.each(["US", "KR"] as const)("match the published holidays of %s", (country) => {
    for (const [year, days] of Object.entries(published[country])) expect(holidays(country, Number(year))).toBe(days)
  })

  it("include substitute holidays for Constitution Day and Labour Day at weekends since 2026", () => {
    expect(holidays("KR", 2027)).toContain("05-03")
    expect(holidays("KR", 2027)).toContain("07-19")
    expect(holidays("KR", 2022)).not.toContain("05-02")
  })

  it("follow daylight saving time, early closings, Korea's first session of a year and its entrance exam", () => {
    const session = (country: "US" | "KR", year: number, month: number, date: number) => {
      const session = sessionOf(country, dayNumber(year, month, date))!
      return [session.openAt, session.closeAt].map((time) => new Date(time).toISOString().slice(11, 16)).join(" ")
    }
    expect(session("US", 2026, 3, 6)).toBe("14:30 21:00")
    expect(session("US", 2026, 3, 9)).toBe("13:30 20:00")
    expect(session("US", 2026, 10, 30)).toBe("13:30 20:00")
    expect(session("US", 2026, 11, 2)).toBe("14:30 21:00")
    expect(session("US", 2026, 11, 27)).toBe("14:30 18:00")
    expect(session("US", 2026, 12, 24)).toBe("14:30 18:00")
    expect(session("US", 2024, 7, 3)).toBe("13:30 17:00")
    expect(session("US", 2026, 7, 2)).toBe("13:30 20:00")
    expect(session("KR", 2026, 11, 20)).toBe("00:00 06:30")
    expect(session("KR", 2026, 1, 2)).toBe("01:00 06:30")
    expect(session("KR", 2026, 11, 19)).toBe("01:00 07:30")
    expect(session("KR", 2024, 11, 14)).toBe("01:00 07:30")
  })

  it("classify an instant as pre, regular, post or closed", () => {
    const at = (text: string) => sessionState("US", Date.parse(text))
    expect(at("2026-11-20T13:00Z")).toBe("pre")
    expect(at("2026-11-20T14:30Z")).toBe("regular")
    expect(at("2026-11-20T21:00Z")).toBe("post")
    expect(at("2026-11-21T18:00Z")).toBe("closed")
    expect(sessionState("KR", Date.parse("2026-11-20T03:00Z"))).toBe("regular")
    expect(sessionState("KR", Date.parse("2026-11-20T07:00Z"))).toBe("closed")
  })

  it("follow the currency market's week in New York time", () => {
    const at = (text: string) => new Date(lastInterbankTime(Date.parse(text))).toISOString().slice(0, 16)
    expect(at("2026-07-11T12:00Z")).toBe("2026-07-10T21:00")
    expect(at("2026-07-12T20:59Z")).toBe("2026-07-10T21:00")
    expect(at("2026-07-12T21:30Z")).toBe("2026-07-12T21:30")
    expect(at("2026-12-12T12:00Z")).toBe("2026-12-11T22:00")
    expect(at("2026-12-13T22:30Z")).toBe("2026-12-13T22:30")
    // Daylight saving time ended during this weekend.
    expect(at("2026-11-01T21:30Z")).toBe("2026-10-30T21:00")
  })
})
