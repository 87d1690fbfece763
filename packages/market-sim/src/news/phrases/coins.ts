/** Templates of news stories about coins, in the format of `fillTemplate`. */
import type { NewsLanguage } from "../story.ts"

export const moveTitles: Readonly<
  Record<NewsLanguage, { readonly up: ReadonlyArray<string>; readonly down: ReadonlyArray<string> }>
> = {
  en: {
    up: [
      "{name} [rallies|climbs|gains|jumps] {pct} in four hours to {price}",
      "{coin} [up|rises] {pct} as [buyers return|volume picks up|shorts retreat]",
      "[Why is {name} up today?|{name} strength:] price [advances|adds] {pct} to {price}"
    ],
    down: [
      "{name} [slides|drops|falls|tumbles] {pct} in four hours to {price}",
      "{coin} [down|sinks] {pct} as [sellers press|support gives way|longs retreat]",
      "[Why is {name} down today?|{name} under pressure:] price [loses|sheds] {pct} to {price}"
    ]
  },
  ko: {
    up: ["{name} 4시간 만에 {pct} [급등|상승]… {price}", "{coin} {pct} [반등|강세], [매수세 유입|거래량 증가]"],
    down: ["{name} 4시간 만에 {pct} [급락|하락]… {price}", "{coin} {pct} [약세|급락], [매도 물량 출회|지지선 이탈]"]
  },
  ru: {
    up: [
      "{name} вырос на {pct} за четыре часа, до {price}",
      "{coin} прибавил {pct}: [покупатели вернулись|объёмы растут]"
    ],
    down: [
      "{name} упал на {pct} за четыре часа, до {price}",
      "{coin} потерял {pct}: [продавцы давят|поддержка не устояла]"
    ]
  }
}

/** The sentences of a story about a price move, in their order in the story. */
export const moveBodies: Readonly<Record<NewsLanguage, ReadonlyArray<string>>> = {
  en: [
    "{name} ({coin}) {went} {pct} between {from} and {to} UTC, {moved} from {before} to {price}, according to aggregated spot prices.",
    "[Turnover over the window reached {volume}|About {volume} changed hands over the window], [{ratio} times what such a window usually brings|a ratio of {ratio} to the usual pace].",
    "[Bitcoin {btcWent} {btc} over the same hours|The benchmark, bitcoin, {btcWent} {btc} meanwhile], [leaving the token's move mostly its own|so part of the move came from the wider market|a reminder of how correlated the asset class remains].",
    "[Traders pointed to|Desks cited|Commentary centred on] [thin order books around {level}|stops clustered near {level}|repositioning in perpetual futures|rotation within the {sector} group] [as the likely driver|while no single headline explained it|ahead of the next session].",
    "[Analysts said a sustained hold of {level} would matter more than the move itself.|Whether {level} holds into the daily close is the next test.|Options desks reported demand for [short-dated hedges|upside and downside alike].]"
  ],
  ko: [
    "{name}({coin})이(가) UTC 기준 {from}~{to} 사이 {before}에서 {price}로 {pct} {wentKo}.",
    "같은 시간 거래대금은 {volume}로 평소의 {ratio}배 수준이었다.",
    "비트코인은 같은 기간 {btc} {btcKo}. [시장 전반의 흐름과 함께 움직였다는 평가다|개별 수급 영향이 컸다는 분석이 나온다].",
    "[시장에서는 {level} 부근의 물량 소화 여부를 주목하고 있다.|업계 관계자는 파생상품 포지션 정리가 영향을 줬다고 말했다.]"
  ],
  ru: [
    "{name} ({coin}) с {from} до {to} UTC {wentRu} на {pct}: цена изменилась с {before} до {price}.",
    "Оборот за это время составил {volume}, примерно в {ratio} раза от обычного.",
    "Биткоин за те же часы {btcRu} на {btc}. [Движение шло вместе с рынком.|Аналитики говорят о спросе на сам актив.]",
    "[Участники рынка следят за уровнем {level}.|По словам трейдеров, сыграли роль стопы у {level}.]"
  ]
}

export const closeSentences = [
  "Bitcoin {btcWent} {btc} over the day to {price}, and ether {ethWent} {eth}.",
  "[Of {count} coins followed here, {rising} closed higher.|{rising} of {count} large tokens ended the day in the green.]",
  "[The strongest was {best} at {bestPct}, while {worst} brought up the rear at {worstPct}.|{best} led ({bestPct}); {worst} lagged ({worstPct}).]",
  "[Liquidity thinned into the New York evening.|Asian hours saw most of the turnover.|Spot turnover came to {volume} for bitcoin alone.]",
  "[Traders now look to the economic calendar.|Positioning in futures was little changed.|Attention turns to funding and the weekly options expiry.]"
]

export const closeTitles = {
  up: "Crypto close: bitcoin [up|gains] {btc}, {rising} of {count} coins higher",
  down: "Crypto close: bitcoin [down|loses] {btc}, {rising} of {count} coins higher"
}

export const liquidationTitle = "{usd} in {coin} [leveraged positions|futures] liquidated within an hour"

export const liquidationSentences = [
  "Forced closures of {name} perpetual positions came to {usd} between the last two full hours, most of them {side}s.",
  "The price [moved|changed] {pct} over the hour, to {price}.",
  "[Open interest shrank as margin ran out|Exchanges' insurance funds were not called upon|Risk desks expect leverage to rebuild slowly], [and funding moved back towards neutral|while spot buyers and sellers stepped aside]."
]

export const listing = {
  en: {
    title: "{exchange} opens won trading in {name} ({coin})",
    body:
      "{exchange} began trading of {name} against the Korean won. [Fresh listings on Korean venues often trade far above world prices for hours|Buy orders were limited for the first minutes, as is customary], [as deposits take time to arrive|and arbitrage is slowed by capital controls]. [Other won markets of the token are unaffected.|The exchange asked users to mind volatility.]"
  },
  ko: {
    title: "{exchange}, {name}({coin}) 원화 마켓 거래 개시",
    body:
      "{subject} {name}({coin}) 원화 마켓 상장을 완료하고 거래를 시작했다. [상장 직후 국내 가격이 해외보다 높게 형성되는 경우가 많아|초기에는 매수 주문 제한이 적용돼] 투자자 주의가 요구된다. [거래소는 유의 사항을 공지했다.|입출금은 단계적으로 열린다.]"
  }
}

export const treasury = {
  minted: {
    title: "{usd} of {coin} minted at the issuer's treasury",
    body:
      "The issuer of {name} authorised {usd} of new tokens. [Fresh stablecoin supply is often read as demand for dollars on exchanges|Issuance tends to follow inflows from trading firms], [though tokens may sit in the treasury before they circulate|and part of it replaces redemptions on other chains]."
  },
  burned: {
    title: "{usd} of {coin} burned at the issuer's treasury",
    body:
      "The issuer of {name} removed {usd} from circulation after redemptions. [A shrinking float usually means that holders prefer bank dollars|Redemptions often follow weaker trading], [and reserves fall by the same amount|although chain swaps can also explain it]."
  }
}
