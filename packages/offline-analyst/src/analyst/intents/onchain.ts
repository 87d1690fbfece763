import { ask, type Intent } from "../intent.ts"
import { coinOf } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { wordOf } from "../writing/vocabulary.ts"
import { questions } from "./questions.ts"

const asksOnchain = rule(
  "on-?chain|whales?|dex|exchange (?:in|out|net)?flows?|(?:on|to|off|from) (?:the )?exchanges|bought or|inflows?|outflows?|transfers?",
  "온체인|고래|디이엑스|dex|거래소\\s?(?:입금|출금|유입|유출)|유입|유출",
  "ончейн|он-чейн|кит(?:ы|ов|ам|а)(?![а-я])|dex|приток|отток|переводы|на биржи|с бирж"
)
const asksStable = rule(
  "stablecoins?|usdt supply|tether supply|dry powder|buying power|money to buy",
  "스테이블|테더\\s?발행|usdt\\s?발행",
  "стейбл|стабл|эмисси[а-я]+ usdt"
)
const asksToken = rule(
  "holders?|supply|circ(?:ulating)?|fdv|fully diluted|tokenomics|contract address",
  "홀더|유통량|공급량|발행량|토크노믹스|컨트랙트|fdv|완전\\s?희석",
  "держател|холдер|эмисси|предложени[ея] монет|циркулирующ|токеномик|контракт|fdv|разводн"
)
const asksSupply = rule(
  "supply|circ(?:ulating)?|fdv|fully diluted",
  "유통량|공급량|발행량|fdv|완전\\s?희석",
  "эмисси|предложени|циркулирующ|fdv|разводн"
)

const said = {
  inflow: text(
    "Large transfers of {name} bring coins to exchanges: net {net} in {hours} hours, which adds supply.",
    "{name} 대량 이체는 거래소로 들어가는 쪽입니다. {hours}시간 순유입 {net}, 매도 물량이 늘 수 있습니다.",
    "Крупные переводы {name} идут на биржи: нетто {net} за {hours} ч, предложение растет."
  ),
  outflow: text(
    "Large transfers of {name} take coins off exchanges: net outflow {net} in {hours} hours, which cuts supply.",
    "{name} 대량 이체는 거래소에서 빠지는 쪽입니다. {hours}시간 순유출 {net}, 매도 물량이 줄어듭니다.",
    "Крупные переводы {name} уходят с бирж: чистый отток {net} за {hours} ч, предложение сокращается."
  ),
  dexOnly: text(
    "{name} on DEXs: {volume} in 24 hours, {share} of it buying.",
    "{name} DEX 거래 24시간 {volume}, 매수 비중 {share}.",
    "{name} на DEX: {volume} за 24 часа, доля покупок {share}."
  ),
  sums: text(
    "In {in}, out {out}, {n} transfers.",
    "입금 {in}, 출금 {out}, 이체 {n}건.",
    "Ввод {in}, вывод {out}, переводов {n}."
  ),
  dex: text(
    "DEX volume of 24 hours {volume}, {share} of it buying; net {net}.",
    "DEX 24시간 거래 {volume}, 매수 비중 {share}, 순매수 {net}.",
    "Объем на DEX за 24 часа {volume}, доля покупок {share}; нетто {net}."
  ),
  largest: text(
    "Largest transfer {usd} at {time}: {from} to {to}.",
    "최대 이체 {usd}({time}): {from} → {to}.",
    "Крупнейший перевод {usd} в {time}: {from} → {to}."
  ),
  change: text(
    "Flows that keep their sign for several days matter; one transfer may be a wallet being moved.",
    "며칠간 같은 방향이면 의미가 있고, 한 건은 지갑 정리일 수 있습니다.",
    "Важны потоки одного знака несколько дней; один перевод может быть просто сменой кошелька."
  ),
  why: text(
    "Coins go to exchanges to be sold or pledged, and leave them to be kept: the net sum says which prevails.",
    "코인은 팔거나 담보로 쓰려고 거래소에 들어가고, 보관하려고 나갑니다. 순유입이 어느 쪽이 우세한지 말해 줍니다.",
    "На биржи монеты несут продавать или закладывать, с бирж хранить: нетто показывает, чего больше."
  ),
  stable: text(
    "Stablecoin supply is {supply}: {change} ({pct}) over {days} days.",
    "스테이블코인 총공급은 {supply}, {days}일 변화 {change}({pct})입니다.",
    "Предложение стейблкоинов {supply}: за {days} дн. {change} ({pct})."
  ),
  stableNet: text("Net to exchanges {net}.", "거래소 순유입 {net}.", "Нетто на биржи {net}."),
  stableRow: text("{coin}: {supply} ({pct}).", "{coin}: {supply}({pct}).", "{coin}: {supply} ({pct})."),
  stableChange: text(
    "Supply that shrinks for weeks means that money leaves crypto; coins on exchanges are what can buy.",
    "공급이 몇 주간 줄면 자금이 빠진다는 뜻이고, 거래소에 있는 스테이블코인이 매수 여력입니다.",
    "Сокращение неделями означает уход денег из крипты; покупать могут стейблкоины на биржах."
  ),
  token: text(
    "{name} ({coin}) has {holders} holders; the ten largest hold {top}.",
    "{name}({coin}) 보유자 {holders}명, 상위 10개 주소 비중 {top}.",
    "{name} ({coin}): держателей {holders}; у десяти крупнейших {top}."
  ),
  tokenShort: text(
    "{name} ({coin}): market value {cap}.",
    "{name}({coin}): 시가총액 {cap}.",
    "{name} ({coin}): капитализация {cap}."
  ),
  tokenSupply: text(
    "Market value {cap}, fully diluted {fdv}; {pct} of the supply circulates.",
    "시가총액 {cap}, 완전 희석 {fdv}, 유통 비율 {pct}.",
    "Капитализация {cap}, полностью разводненная {fdv}; в обращении {pct}."
  ),
  circulating: text(
    "In circulation {circulating} {coin} of {total}.",
    "유통량 {circulating} {coin}, 총공급량 {total}.",
    "В обращении {circulating} {coin} из {total}."
  ),
  share: text("{pct} of the supply circulates.", "유통 비율 {pct}.", "В обращении {pct} предложения."),
  supplyOf: text(
    "{name}: {circulating} {coin} circulate, market value {cap}, fully diluted {fdv}.",
    "{name} 유통량 {circulating} {coin}, 시가총액 {cap}, 완전 희석 시총(FDV) {fdv}입니다.",
    "{name}: в обращении {circulating} {coin}, капитализация {cap}, полностью разводненная (FDV) {fdv}."
  ),
  liquidity: text("Liquidity on DEXs {liquidity}.", "DEX 유동성 {liquidity}.", "Ликвидность на DEX {liquidity}."),
  flags: text("Flags: {flags}.", "위험 표시: {flags}.", "Флаги: {flags}."),
  tokenChange: text(
    "Few holders with most of the supply, or a supply that is mostly locked, is the risk to watch.",
    "소수 보유자 집중이나 미유통 물량이 많으면 주의해야 합니다.",
    "Главный риск: у немногих большая доля или основная часть предложения еще не в обращении."
  )
}

const next = [
  questions.stablecoins,
  questions.social,
  questions.openInterest
]

export const onchain: Intent = {
  name: "onchain",
  usual: ["BTC"],
  reads: [rule("whales?|exchanges?|transfers?", "고래|거래소|이동", "кит|бирж|перевод"), asksOnchain],
  asked: ({ stocks, words }) => asksOnchain.test(words) && !asksStable.test(words) && stocks.length === 0,
  over: ["price", "trend", "krFlows", "riskSizing"],
  plan: (reading) => {
    const coin = coinOf(reading)
    const hours = Math.min(720, Math.max(1, Math.round((reading.horizon?.minutes ?? 1_440) / 60)))
    return [ask("get_whale_transfers", { coin, hours }), ask("get_onchain", { coin })]
  },
  write: (reading, found, { format, say }) => {
    const name = coinOf(reading)
    const whales = found.of("get_whale_transfers", { coin: name })
    const asked = found.came("get_whale_transfers", { coin: name })?.arguments?.["hours"]
    const dex = found.of("get_onchain", { coin: name })
    const [largest] = whales.list("transfers")
    const net = whales.num("exchange_net_usd")
    const volume = format.bigUsd(dex.num("dex_volume_24h_usd"))
    const share = format.percent(dex.num("buy_share_pct"))
    return {
      verdict: say((net ?? 0) > 0 ? said.inflow : said.outflow, {
        name,
        net: format.bigUsd(net === null ? null : Math.abs(net)),
        hours: format.count(typeof asked === "number" ? asked : null)
      }) ?? say(said.dexOnly, { name, volume, share }),
      evidence: [
        say(said.sums, {
          in: format.bigUsd(whales.num("exchange_in_usd")),
          out: format.bigUsd(whales.num("exchange_out_usd")),
          n: format.count(whales.num("n"))
        }),
        say(said.largest, {
          usd: format.bigUsd(largest?.num("usd") ?? null),
          time: format.time(largest?.str("time") ?? null),
          from: largest?.str("from") ?? null,
          to: largest?.str("to") ?? null
        }),
        say(said.dex, { volume, share, net: format.bigUsd(dex.num("net_flow_usd")) })
      ],
      change: say(said.change, {}),
      why: say(said.why, {})
    }
  },
  next
}

const stableDays = 7

export const stablecoins: Intent = {
  name: "stablecoins",
  reads: [rule("supply|change|growing|mint\\w*|burn\\w*", "공급|발행|소각", "предложен|эмисси|выпуск"), asksStable],
  spans: true,
  asked: ({ words }) => asksStable.test(words),
  over: ["price", "trend", "token", "onchain"],
  plan: ({ horizon }) => [
    ask("get_stablecoin_flows", {
      days: Math.min(90, Math.max(1, Math.round((horizon?.minutes ?? stableDays * 1_440) / 1_440)))
    })
  ],
  write: (_, found, { format, say }) => {
    const data = found.of("get_stablecoin_flows")
    return {
      verdict: say(said.stable, {
        supply: format.bigUsd(data.num("supply_usd")),
        change: format.bigUsd(data.num("change_usd")),
        pct: format.change(data.num("change_pct")),
        days: format.count(data.num("days"))
      }),
      evidence: [
        say(said.stableNet, { net: format.bigUsd(data.num("exchange_net_usd")) }),
        ...data.list("coins").map((coin) =>
          say(said.stableRow, {
            coin: coin.str("coin"),
            supply: format.bigUsd(coin.num("supply_usd")),
            pct: format.change(coin.num("change_pct"))
          })
        )
      ],
      change: say(said.stableChange, {})
    }
  },
  next
}

export const token: Intent = {
  name: "token",
  reads: [
    rule("supply|holders?|concentrat\\w*|top", "공급|홀더|상위|집중|비중", "держател|предложен|концентр|скольк"),
    asksToken,
    asksSupply
  ],
  asked: ({ coins, stocks, words }) => asksToken.test(words) && coins.length > 0 && stocks.length === 0,
  over: ["price", "trend"],
  plan: (reading) => [ask("get_token", { coin: coinOf(reading) })],
  write: (reading, found, { format, lang, say }) => {
    const coin = coinOf(reading)
    const data = found.of("get_token", { coin })
    const name = data.str("name")
    const values = {
      name,
      coin,
      cap: format.bigUsd(data.num("market_cap_usd")),
      fdv: format.bigUsd(data.num("fdv_usd")),
      pct: format.percent(data.num("circulating_pct")),
      circulating: format.big(data.num("supply.circulating")),
      total: format.big(data.num("supply.total")),
      holders: format.count(data.num("holders")),
      top: format.percent(data.num("top10_share_pct"))
    }
    const held = say(said.token, values)
    const supply = asksSupply.test(reading.words) ? say(said.supplyOf, values) : null
    return {
      verdict: supply ?? held ?? say(said.tokenShort, values),
      evidence: [
        supply === null ? null : held,
        ...(supply === null
          ? [say(said.circulating, values), say(said.tokenSupply, values)]
          : [say(said.share, values)]),
        say(said.liquidity, { liquidity: format.bigUsd(data.num("liquidity_usd")) }),
        say(said.flags, {
          flags: format.list(data.strings("flags").slice(0, 6).flatMap((flag) => wordOf(lang, flag) ?? []))
        })
      ],
      change: say(said.tokenChange, {})
    }
  },
  next
}
