/** Templates of news stories about the economic calendar, in the format of `fillTemplate`. */

export const countries: Readonly<Record<string, { readonly en: string; readonly ko: string }>> = {
  US: { en: "US", ko: "미국" },
  KR: { en: "South Korean", ko: "한국" },
  EU: { en: "Euro-area", ko: "유로존" },
  GB: { en: "UK", ko: "영국" },
  JP: { en: "Japanese", ko: "일본" },
  CN: { en: "Chinese", ko: "중국" }
}

export const release = {
  en: {
    title: "{country} {name} [comes in at|prints|at] {actual}, {against} forecast of {forecast}",
    first: "The {country} {name} figure was {actual}, against {forecast} expected by economists and {previous} before.",
    /** A sentence about a figure whose high values are bad for risk assets, such as inflation or unemployment. */
    unwelcome:
      "[Rate expectations shifted accordingly|Bond desks reworked the path of policy|Fixed income traders weighed what it means for the next decision], [with the front end of the curve doing most of the work|while longer maturities barely reacted].",
    other:
      "[The reading speaks to the pace of activity|It adds to the picture of household and business demand|Economists called it one piece of a mixed picture], [with revisions to come|ahead of the next survey].",
    last:
      "[Equity futures and digital assets took it in stride.|Risk assets swung before settling.|Currency markets saw a brief burst of volume.]"
  },
  ko: {
    title: "{countryKo} {name} {actual}… 예상 {againstKo}",
    body:
      "{countryKo} {name}이(가) {actual}로 발표됐다. 시장 예상치는 {forecast}, 직전치는 {previous}였다. [채권시장은 발표 직후 소폭 움직였다.|전문가들은 통화정책에 미칠 영향을 주시하고 있다.|환율은 큰 변동이 없었다.]"
  }
}

export const preview = {
  titles: [
    "Preview: {country} {name} due tomorrow, {forecast} expected",
    "What to expect from tomorrow's {country} {name}"
  ],
  body:
    "Economists see {country} {name} at {forecast}, after {previous}. [A surprise in either direction would move short-dated yields|Options imply a busier session than usual|Positioning ahead of it is light], [and crypto traders have learnt to step aside|and equity desks are hedged|say strategists]. [The figure is published in the morning.|The calendar is otherwise quiet.]"
}
