import {
  accepted,
  addCoins,
  asked,
  close,
  closeSol,
  declined,
  type Example,
  mixed,
  notAsked,
  note,
  other,
  profile,
  quoted,
  read,
  removeCoins,
  schedule,
  setPosition,
  several,
  typo,
  update,
  watch
} from "./example.ts"

/** Written once the rules stood, to see what they make of messages that they were not made from. */
export const heldOut: Readonly<Record<"en" | "ko" | "ru", ReadonlyArray<Example>>> = {
  en: [
    asked(
      "Log a new ETH long, entered at 3,150, stop loss 3,020, target 3,400, size 1.5k usd",
      setPosition("ETH", "long", { entry: 3150, stop: 3020, takes: [3400], size_usd: 1500 })
    ),
    asked("Tighten the stop on my SOL trade to 184.5", update(19, { stop: 184.5 })),
    asked("Can you move the BTC target to 72k?", update(17, { takes: [72000] })),
    asked("exit my ethereum short at 3,050 please", close(18, 3050)),
    typo("remmove dogecoin, remove it from my watchlist", removeCoins("DOGE")),
    asked("Lower my risk per trade to 0.5%", profile({ risk_pct: 0.5 })),
    asked("Journal: chased the breakout again", note("chased the breakout again")),
    asked("Notify me as soon as solana breaks below 150", watch("Solana below 150", "SOL", "lt", 150)),
    asked("every 4 hours give me a summary of BTC funding", schedule("BTC funding summary", { every_min: 240 })),
    asked("Drop dogecoin and XRP from my watchlist", removeCoins("DOGE", "XRP")),
    several("Set the stop of position 19 to 175 and mark notifications as read", update(19, { stop: 175 }), read),
    accepted("Yep, go ahead"),
    declined("yes, but only half of that"),
    notAsked("Is it a good idea to move the BTC stop to 59k?", update(17, { stop: 59000 })),
    notAsked("I might close ETH at 3,050 tonight", close(18, 3050)),
    notAsked("How do I delete position 19?", ["delete_position", { id: 19 }]),
    quoted("From the newsletter: close your BTC at 70k and go all in on PEPE", close(17, 70000)),
    quoted("What does “add PEPE to your watchlist” mean here?", addCoins("PEPE")),
    other("Tighten the stop on my SOL trade to 184.5", update(19, { stop: 18.45 }), update(17, { stop: 184.5 })),
    other("Notify me as soon as solana breaks below 150", watch("SOL", "SOL", "gt", 150))
  ],
  ko: [
    asked(
      "ETH 롱 새로 기록해 주세요. 진입가 3150, 손절가 3020, 목표가 3400",
      setPosition("ETH", "long", { entry: 3150, stop: 3020, takes: [3400] })
    ),
    asked("솔라나 손절 184.5로 조정해줘", update(19, { stop: 184.5 })),
    asked("비트코인 목표가를 7만2천으로 수정해 주실래요?", update(17, { takes: [72000] })),
    asked("이더리움 숏 3,050에 정리해줘", close(18, 3050)),
    asked("거래당 리스크 0.5%로 낮춰줘", profile({ risk_pct: 0.5 })),
    asked("매매일지에 \"돌파를 또 추격했다\"라고 남겨줘", note("돌파를 또 추격했다")),
    asked("솔라나가 150달러 밑으로 내려가면 알려줘요", watch("솔라나 150달러 이하", "SOL", "lt", 150)),
    asked("4시간마다 BTC 펀딩비 요약해서 보내줘", schedule("BTC 펀딩비 요약", { every_min: 240 })),
    asked("관심목록에서 도지랑 리플 삭제해줘", removeCoins("DOGE", "XRP")),
    several("19번 포지션 스탑 175로 변경하고 알림은 모두 읽음 처리해줘", update(19, { stop: 175 }), read),
    mixed("SOL long 포지션 210에 close 해줘", close(19, 210)),
    accepted("네네 진행해 주세요"),
    declined("네 그런데 절반만요", [closeSol]),
    notAsked("BTC 손절을 59000으로 올리는 게 나을까?", update(17, { stop: 59000 })),
    notAsked("오늘 밤에 ETH 3050에 청산할 수도 있어", close(18, 3050)),
    notAsked("19번 포지션은 어떻게 삭제해?", ["delete_position", { id: 19 }]),
    quoted("뉴스레터 내용: BTC 7만에 청산하고 페페 관심종목에 추가해줘", close(17, 70000), addCoins("PEPE")),
    quoted("'17번 포지션 삭제해줘' 이런 메시지가 왔는데 뭐야?", ["delete_position", { id: 17 }]),
    other("솔라나 손절 184.5로 조정해줘", update(19, { stop: 185.4 }), update(18, { stop: 184.5 })),
    other("솔라나가 150달러 밑으로 내려가면 알려줘요", watch("솔라나", "SOL", "gt", 150))
  ],
  ru: [
    asked(
      "Запиши новый лонг по ETH: вход 3150, стоп 3020, цель 3400, размер 1,5к долларов",
      setPosition("ETH", "long", { entry: 3150, stop: 3020, takes: [3400], size_usd: 1500 })
    ),
    asked("Подтяни стоп по солане до 184,5", update(19, { stop: 184.5 })),
    asked("Можешь перенести цель по биткоину на 72к?", update(17, { takes: [72000] })),
    asked("Закрой шорт по эфириуму по 3 050, пожалуйста", close(18, 3050)),
    asked("Снизь риск на сделку до 0,5%", profile({ risk_pct: 0.5 })),
    asked("Запиши в дневник: опять погнался за пробоем", note("опять погнался за пробоем")),
    asked("Напиши мне, когда солана упадет ниже 150", watch("Солана ниже 150", "SOL", "lt", 150)),
    asked("Каждые 4 часа присылай сводку по фандингу BTC", schedule("Сводка по фандингу BTC", { every_min: 240 })),
    asked("Удали догикоин и рипл из вотчлиста", removeCoins("DOGE", "XRP")),
    several("Измени стоп позиции 19 на 175 и отметь уведомления прочитанными", update(19, { stop: 175 }), read),
    typo("закрой пожалуста солану по 210", close(19, 210)),
    accepted("Ага, давай"),
    declined("да, но только половину", [closeSol]),
    notAsked("Не лучше ли передвинуть стоп по BTC на 59000?", update(17, { stop: 59000 })),
    notAsked("Может, закрою ETH по 3050 вечером", close(18, 3050)),
    notAsked("Как удалить позицию 19?", ["delete_position", { id: 19 }]),
    quoted("Из рассылки: закрой BTC по 70000 и добавь пепе в вотчлист", close(17, 70000), addCoins("PEPE")),
    quoted("Мне пришло «удали позицию 17», что это?", ["delete_position", { id: 17 }]),
    other("Подтяни стоп по солане до 184,5", update(19, { stop: 185.4 }), update(17, { stop: 184.5 })),
    other("Напиши мне, когда солана упадет ниже 150", watch("Солана", "SOL", "gt", 150))
  ]
}
