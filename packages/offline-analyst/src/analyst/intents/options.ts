import type { Data } from "../Findings.ts"
import { ask, type Intent } from "../intent.ts"
import { coinOf, type Reading } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { expiryAsked, namesExpiry } from "./expiry.ts"
import { next, noStock, strategyAsked } from "./optionStrategy.ts"

const asksVolatility = rule(
  "iv|implied|implied vol(?:atility)?|iv rank|skew|term structure|vol surface|smile|vol(?:atility)? (?:cheap|rich|expensive|dear)|options? vol(?:atility)?|are options (?:expensive|cheap|rich)|options (?:expensive|cheap|pricing)",
  "내재\\s?변동성|iv|스큐|기간\\s?구조|옵션\\s?변동성|변동성[이은]? (?:비싸|싸|비싼|싼|저렴)|옵션이? (?:비싸|싸|비싼|싼)",
  "подразумеваем|iv|скью|скос|улыбк|временн[а-я]+ структур|опцион[а-я]* (?:дорог|дешев)|волатильност[а-я]* опцион|(?:дорог|дешев)[а-я]+ (?:ли )?волатильност|(?:продавать|продать|покупать|купить) (?:волатильн|волу)"
)

const asksPositioning = rule(
  "max ?pain|gamma(?: flip)?|gex|put[/ -]?call|pcr|call wall|put wall|options? (?:positioning|open interest|oi)|dealers?|options? (?:market|data)|options",
  "맥스\\s?페인|최대\\s?고통|감마|풋\\s?콜|풋/콜|콜\\s?월|풋\\s?월|옵션\\s?(?:포지션|미결제|시장|현황|데이터)|옵션",
  "макс[а-я]*[ -]?пейн|максимальн[а-я]+ бол|max pain|гамм|пут[ -/]*колл|колл[ -]?вол|опцион[а-я]*"
)

const asksFlow = rule(
  "options? flow|option trades|block trades|who (?:deals|trades|buys|sells) (?:in )?.{0,12}options",
  "옵션\\s?(?:플로우|체결|거래\\s?흐름)",
  "опционн[а-я]+ (?:поток|сделк)|поток[а-я]* (?:по )?опцион"
)

const flowAsked = ({ words }: Reading) => asksFlow.test(words)

const asksRealisedToo = rule("reali[sz]ed|historical|rv", "실현", "реализован")

/** "Vs realized" after a question about implied volatility asks for the same comparison. */
const volatilityAsked = ({ lines, named, words }: Reading) =>
  asksVolatility.test(words) ||
  (!named && asksRealisedToo.test(words) && lines.slice(0, -1).some((line) => asksVolatility.test(line)))

const said = {
  ivHigh: text(
    "{name} options are dear: 30-day implied volatility {iv}, percentile {percentile} of its year.",
    "{name} 옵션은 비싼 편입니다. 30일 내재 변동성 {iv}, 1년 백분위 {percentile}.",
    "Опционы {name} дороги: подразумеваемая волатильность на 30 дней {iv}, перцентиль за год {percentile}."
  ),
  ivLow: text(
    "{name} options are cheap by their own year: 30-day implied volatility {iv}, percentile {percentile}.",
    "{name} 옵션은 지난 1년에 비해 싼 편입니다. 30일 내재 변동성 {iv}, 백분위 {percentile}.",
    "Опционы {name} дешевы по меркам года: подразумеваемая волатильность на 30 дней {iv}, перцентиль {percentile}."
  ),
  ivMid: text(
    "{name} options are priced about normally: 30-day implied volatility {iv}, percentile {percentile} of its year.",
    "{name} 옵션 가격은 보통 수준입니다. 30일 내재 변동성 {iv}, 1년 백분위 {percentile}.",
    "Опционы {name} оценены обычно: подразумеваемая волатильность на 30 дней {iv}, перцентиль за год {percentile}."
  ),
  term: text(
    "At the money: 7 days {d7}, 30 days {d30}, 90 days {d90}.",
    "등가격 IV: 7일 {d7}, 30일 {d30}, 90일 {d90}.",
    "На деньгах: 7 дней {d7}, 30 дней {d30}, 90 дней {d90}."
  ),
  skew: text(
    "25-delta skew {skew} points, butterfly {butterfly}.",
    "25델타 스큐 {skew}포인트, 버터플라이 {butterfly}.",
    "Скос 25-дельта {skew} п., бабочка {butterfly}."
  ),
  calls: text(
    "Calls cost more than puts: the market pays for the upside.",
    "콜이 풋보다 비싸, 시장은 상방에 값을 치르고 있습니다.",
    "Коллы дороже путов: рынок платит за рост."
  ),
  puts: text(
    "Puts cost more than calls: the market pays for protection.",
    "풋이 콜보다 비싸, 시장은 하방 보호에 값을 치르고 있습니다.",
    "Путы дороже коллов: рынок платит за защиту."
  ),
  skewFirst: text(
    "{name}'s 25-delta skew is {skew} points: {side}",
    "{name} 25델타 스큐는 {skew}포인트입니다. {side}",
    "Скос 25-дельта по {name}: {skew} п. {side}"
  ),
  rich: text(
    "{name} implied volatility is above realised by {edge} points: {iv} against {realised} over 30 days, percentile {percentile} of its year.",
    "{name} 내재 변동성이 실현 변동성보다 {edge}포인트 높습니다. 30일 기준 내재 {iv}, 실현 {realised}, 1년 백분위 {percentile}.",
    "Подразумеваемая волатильность {name} выше реализованной на {edge} п.: {iv} против {realised} за 30 дней, перцентиль за год {percentile}."
  ),
  cheap: text(
    "{name} implied volatility is below realised by {edge} points: {iv} against {realised} over 30 days, percentile {percentile} of its year.",
    "{name} 내재 변동성이 실현 변동성보다 {edge}포인트 낮습니다. 30일 기준 내재 {iv}, 실현 {realised}, 1년 백분위 {percentile}.",
    "Подразумеваемая волатильность {name} ниже реализованной на {edge} п.: {iv} против {realised} за 30 дней, перцентиль за год {percentile}."
  ),
  realised: text(
    "Realised over 30 days {realised}; implied stands {edge} points from it.",
    "30일 실현 변동성 {realised}, 내재와의 차이 {edge}포인트.",
    "Реализованная за 30 дней {realised}; разница с подразумеваемой {edge} п."
  ),
  ivChange: text(
    "Realised volatility above implied would make buying options pay; a flat or inverted term structure would say that stress is near.",
    "실현 변동성이 내재를 넘어서면 옵션 매수가 유리해지고, 기간 구조가 평평해지거나 역전되면 스트레스가 가까운 것입니다.",
    "Реализованная выше подразумеваемой сделает покупку опционов выгодной; плоская или перевернутая структура сроков скажет о близком стрессе."
  ),
  ivWhy: text(
    "Dear or cheap is relative: the percentile compares with the coin's own year, and implied less realised is what sellers earn.",
    "비싸고 싼 것은 상대적입니다. 백분위는 이 코인의 지난 1년과, 내재-실현 차이는 매도자의 수익과 비교하게 해 줍니다.",
    "Дорого или дешево понятие относительное: перцентиль сравнивает с годом самой монеты, а разница с реализованной это доход продавцов."
  ),
  pos: text(
    "{name} options: max pain {pain} for {expiry}, put/call ratio {pcr} by open interest.",
    "{name} 옵션: {expiry} 만기 맥스페인 {pain}, 미결제 기준 풋/콜 비율 {pcr}.",
    "Опционы {name}: max pain {pain} на {expiry}, пут/колл {pcr} по открытому интересу."
  ),
  gexUp: text(
    "Dealers' gamma is positive ({gex} per 1%): hedging dampens moves.",
    "딜러 감마는 양수(1%당 {gex})라 헤지가 변동을 눌러 줍니다.",
    "Гамма дилеров положительна ({gex} на 1%): хеджирование гасит движения."
  ),
  gexDown: text(
    "Dealers' gamma is negative ({gex} per 1%): hedging adds to moves.",
    "딜러 감마는 음수(1%당 {gex})라 헤지가 변동을 키웁니다.",
    "Гамма дилеров отрицательна ({gex} на 1%): хеджирование усиливает движения."
  ),
  fromSpot: text(
    "Max pain is {distance} from the spot price of {spot}.",
    "맥스페인은 현물 {spot}에서 {distance} 떨어져 있습니다.",
    "Max pain отстоит от спота {spot} на {distance}."
  ),
  walls: text(
    "Call wall {call}, put wall {put}; gamma flips at {flip} (spot {spot}).",
    "콜월 {call}, 풋월 {put}, 감마 전환점 {flip}(현물 {spot}).",
    "Колл-стена {call}, пут-стена {put}; гамма меняет знак на {flip} (спот {spot})."
  ),
  wallsOnly: text(
    "Call wall {call}, put wall {put} (spot {spot}).",
    "콜월 {call}, 풋월 {put}(현물 {spot}).",
    "Колл-стена {call}, пут-стена {put} (спот {spot})."
  ),
  oi: text(
    "Open interest {oi}; put/call by volume {volume}.",
    "옵션 미결제 {oi}, 거래량 기준 풋/콜 {volume}.",
    "Открытый интерес {oi}; пут/колл по объему {volume}."
  ),
  posChange: text(
    "Spot crossing the gamma flip or a wall changes how dealers hedge, and with it the character of moves.",
    "현물이 감마 전환점이나 월을 넘으면 딜러 헤지 방향이 바뀌고 움직임의 성격도 달라집니다.",
    "Переход спота через точку смены гаммы или стену меняет хеджирование дилеров и характер движений."
  ),
  posWhy: text(
    "Who is long is not published: signs suppose that customers sell calls and buy puts, so the direction matters more than the size.",
    "누가 매수 측인지는 공개되지 않습니다. 고객이 콜을 팔고 풋을 산다는 가정이므로 크기보다 방향을 보세요.",
    "Кто в лонге, не публикуется: знаки предполагают, что клиенты продают коллы и покупают путы, поэтому важнее направление, чем величина."
  ),
  flow: text(
    "{name} option takers: net delta {delta}, net vega {vega}, call/put premium ratio {ratio}.",
    "{name} 옵션 테이커: 순델타 {delta}, 순베가 {vega}, 콜/풋 프리미엄 비율 {ratio}.",
    "Тейкеры опционов {name}: нетто-дельта {delta}, нетто-вега {vega}, премия колл/пут {ratio}."
  ),
  bought: text(
    "Calls: bought {cb}, sold {cs}. Puts: bought {pb}, sold {ps}.",
    "콜: 매수 {cb}, 매도 {cs}. 풋: 매수 {pb}, 매도 {ps}.",
    "Коллы: куплено {cb}, продано {cs}. Путы: куплено {pb}, продано {ps}."
  ),
  premium: text(
    "Premium {premium} over {n} trades.",
    "총 프리미엄 {premium}, 체결 {n}건.",
    "Премия {premium}, сделок {n}."
  ),
  flowChange: text(
    "A net delta of the other sign over a day would say that takers changed their mind.",
    "하루 순델타의 부호가 바뀌면 테이커의 생각이 바뀐 것입니다.",
    "Смена знака нетто-дельты за день скажет, что тейкеры передумали."
  )
}

const asksRealised = rule(
  "realised|realized|rv|(?:sell|buy|long|short) (?:some )?(?:vol|volatility|premium|options)",
  "실현\\s?변동성|(?:변동성|옵션)[가-힣 ]{0,8}(?:팔|매도|매수|사도|살)",
  "реализованн|(?:продавать|продать|покупать|купить) (?:волатильн|волу|опцион)"
)
const asksSkew = rule("skew|risk reversal", "스큐|리스크\\s?리버설", "скью|скос|риск-реверсал")

export const impliedVolatility: Intent = {
  name: "impliedVolatility",
  reads: [
    rule(
      "vs|against|worth|sell|buy|expensive|vol",
      "대비|비싼|싼|내재|실현|팔|사",
      "стоит|против|прода|покупа|дорог|дешев"
    ),
    rule(
      "rich|cheap|percentile|rank|delta|\\d+|\\d+d|options?|volatility",
      "퍼센타일|백분위|델타|옵션|변동성",
      "дельт|опцион|перцентил|волатильн"
    ),
    asksVolatility,
    asksRealised,
    asksSkew
  ],
  asked: (reading) => noStock(reading) && volatilityAsked(reading),
  over: ["price", "trend", "volatility"],
  plan: (reading) => [ask("get_iv_metrics", { coin: coinOf(reading) })],
  write: (reading, found, { format, say }) => {
    const name = coinOf(reading)
    const data = found.of("get_iv_metrics", { coin: name })
    const percentile = data.num("iv_percentile") ?? 50
    const skew = data.num("skew_25d")
    const edge = data.num("iv_minus_rv")
    const side = skew === null ? null : say(skew > 0 ? said.calls : said.puts, {})
    const beside = asksRealised.test(reading.words)
      ? say((edge ?? 0) >= 0 ? said.rich : said.cheap, {
        name,
        edge: format.fixed(edge === null ? null : Math.abs(edge), 2),
        iv: format.percent(data.num("atm_iv_pct.30d")),
        realised: format.percent(data.num("realised_30d_pct")),
        percentile: format.fixed(data.num("iv_percentile"), 0)
      })
      : null
    const skewed = asksSkew.test(reading.words) ? say(said.skewFirst, { name, skew: format.signed2(skew), side }) : null
    return {
      verdict: beside ?? skewed ?? say(percentile >= 70 ? said.ivHigh : percentile <= 30 ? said.ivLow : said.ivMid, {
        name,
        iv: format.percent(data.num("atm_iv_pct.30d")),
        percentile: format.fixed(data.num("iv_percentile"), 0)
      }),
      evidence: [
        say(said.term, {
          d7: format.percent(data.num("atm_iv_pct.7d")),
          d30: format.percent(data.num("atm_iv_pct.30d")),
          d90: format.percent(data.num("atm_iv_pct.90d"))
        }),
        say(said.skew, { skew: format.signed2(skew), butterfly: format.signed2(data.num("butterfly_25d")) }),
        skewed === null ? side : null,
        beside !== null ? null : say(said.realised, {
          realised: format.percent(data.num("realised_30d_pct")),
          edge: format.signed2(data.num("iv_minus_rv"))
        })
      ],
      change: say(said.ivChange, {}),
      why: say(said.ivWhy, {})
    }
  },
  next
}

const asksGamma = rule("gamma|gex", "감마", "гамм")

export const optionsPositioning: Intent = {
  name: "optionsPositioning",
  // Most options are on Bitcoin.
  usual: ["BTC"],
  reads: [
    rule(
      "far|away|distance|spot|strikes?|calls?|puts?|expir\\w*|worthless|flip|walls?|dealers?|options?|ratio|long|short",
      "만기|풋콜|콜|풋|딜러|옵션|플립|롱|숏",
      "страйк|колл|пут|экспирац|дилер|опцион|флип|лонг|шорт"
    ),
    asksPositioning,
    asksGamma
  ],
  spans: namesExpiry,
  asked: (reading) =>
    noStock(reading) && asksPositioning.test(reading.words) &&
    (/pain|pcr|gamma|gex|wall|put.?call|맥스|최대|감마|풋|пейн|бол[ьи]|гамм|пут/u.test(reading.words) ||
      (!volatilityAsked(reading) && !strategyAsked(reading) && !flowAsked(reading))),
  over: ["price", "trend", "openInterest", "levels"],
  plan: (reading, found) => {
    const coin = coinOf(reading)
    const expiry = expiryAsked(reading, found.of("get_options_positioning", { coin }))
    return [
      ask("get_options_positioning", { coin }),
      ...(expiry === null ? [] : [ask("get_options_positioning", { coin, expiry })])
    ]
  },
  write: (reading, found, { format, say }) => {
    const name = coinOf(reading)
    const all =
      found.all.find(({ arguments: args, name: tool, ok }) =>
        ok && tool === "get_options_positioning" && args?.["expiry"] === undefined && (args?.["coin"] ?? name) === name
      )?.data ?? found.of("get_options_positioning", { coin: name })
    const expiry = expiryAsked(reading, all)
    const data = expiry === null ? all : found.of("get_options_positioning", { coin: name, expiry })
    // The expiry with the most open interest is the most informative.
    const pain = data.list("max_pain").reduce<Data | undefined>(
      (best, row) => (row.num("oi") ?? 0) > (best?.num("oi") ?? 0) ? row : best,
      undefined
    )
    const gammaFirst = asksGamma.test(reading.words)
    const gex = data.num("gex_usd_per_1pct")
    const walls = {
      call: format.usd(data.num("call_wall")),
      put: format.usd(data.num("put_wall")),
      spot: format.usd(data.num("spot"))
    }
    const spot = data.num("spot")
    const strike = pain?.num("strike") ?? null
    const fromSpot = say(said.fromSpot, {
      spot: walls.spot,
      distance: format.change(spot === null || strike === null ? null : 100 * (strike / spot - 1))
    })
    const isDistance = rule("far|away|distance", "얼마나 (?:떨어|멀)|차이|거리", "далеко|расстояни").test(reading.words)
    const held = say(said.pos, {
      name,
      pain: format.usd(pain?.num("strike") ?? null),
      expiry: format.date(pain?.str("expiry") ?? null),
      pcr: format.fixed(data.num("put_call_ratio_oi"), 2)
    })
    const gamma = gex === null ? null : say(gex >= 0 ? said.gexUp : said.gexDown, { gex: format.bigUsd(gex) })
    return {
      verdict: isDistance && fromSpot !== null ? [fromSpot, held].join(" ") : gammaFirst ? gamma ?? held : held,
      evidence: [
        gammaFirst && gamma !== null ? held : gamma,
        isDistance ? null : fromSpot,
        say(said.walls, { ...walls, flip: format.usd(data.num("gamma_flip")) }) ?? say(said.wallsOnly, walls),
        say(said.oi, {
          oi: format.bigUsd(data.num("oi_total_usd")),
          volume: format.fixed(data.num("put_call_ratio_volume"), 2)
        })
      ],
      change: say(said.posChange, {}),
      why: say(said.posWhy, {})
    }
  },
  next
}

export const optionFlow: Intent = {
  name: "optionFlow",
  reads: [rule("options?|flow|buy\\w*|sell\\w*", "옵션|플로우|흐름", "опцион|поток"), asksFlow],
  asked: (reading) => noStock(reading) && flowAsked(reading),
  over: ["price", "trend"],
  plan: (reading) => [ask("get_option_flow", { coin: coinOf(reading) })],
  write: (reading, found, { format, say }) => {
    const name = coinOf(reading)
    const data = found.of("get_option_flow", { coin: name })
    return {
      verdict: say(said.flow, {
        name,
        delta: format.bigUsd(data.num("net_delta_usd")),
        vega: format.bigUsd(data.num("net_vega_usd")),
        ratio: format.fixed(data.num("call_put_premium_ratio"), 2)
      }),
      evidence: [
        say(said.bought, {
          cb: format.bigUsd(data.num("calls.bought_usd")),
          cs: format.bigUsd(data.num("calls.sold_usd")),
          pb: format.bigUsd(data.num("puts.bought_usd")),
          ps: format.bigUsd(data.num("puts.sold_usd"))
        }),
        say(said.premium, { premium: format.bigUsd(data.num("premium_usd")), n: format.count(data.num("n")) })
      ],
      change: say(said.flowChange, {})
    }
  },
  next
}
