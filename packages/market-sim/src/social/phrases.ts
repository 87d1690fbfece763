/**
 * Phrases of social posts about a coin. `{pct}` is the price change of the last day, and `{level}` is a round number
 * near the price.
 */
export type PostLanguage = "en" | "ko" | "ru"
export type Tone = "up" | "down" | "flat"

interface Phrases {
  readonly openers: ReadonlyArray<string>
  readonly statements: Readonly<Record<Tone, ReadonlyArray<string>>>
  readonly endings: ReadonlyArray<string>
}

const englishPhrases: Phrases = {
  openers: [
    "gm.",
    "ok so",
    "honest question:",
    "chart update:",
    "not advice but",
    "my read:",
    "hm.",
    "lol",
    "thread soon,",
    "quick note:",
    "after a long day:",
    "morning coffee and charts.",
    "been away for a week,",
    "unpopular opinion:",
    "just saying,",
    "small win today:",
    "reminder to myself:",
    "for those asking,",
    "woke up to this:",
    "desk notes:"
  ],
  statements: {
    up: [
      "{tag} [up {pct}|gained {pct}|added {pct}] since yesterday and [volume agrees|people are still short|nobody at work noticed]",
      "[finally|at last] some [strength|life|colour] in {tag}, [took half off|adding on dips|letting it run] above {level}",
      "{tag} reclaimed {level}, [bulls have the ball|that was the level I wanted|structure looks good again]",
      "funding on {tag} is [still tame|barely positive] while price [climbs|grinds higher], [I like that|that rarely ends badly]",
      "closed my {tag} long [from last week|for a nice gain|near {price}], [could go higher|no regrets|on to the next one]",
      "{tag} [rallied|jumped] {pct} and my [dad|barber|group chat] asked about it, you know what that means",
      "the [weekly|daily|four-hour] candle on {tag} is [gorgeous|strong|what a breakout looks like]",
      "bought more {tag} at {price}, [sizing small|with a stop under {level}|long-term bag]",
      "every dip in {tag} [gets bought|is met with buyers] this week, [spot led|not perps] for once",
      "people called {tag} dead [in spring|two weeks ago|last month] and here we are at {price}",
      "{tag} relative strength [against bitcoin|against the rest] is [excellent|the best in a month]",
      "shorts on {tag} got [squeezed|run over] at {level}, [fuel for more|careful chasing now]",
      "if {tag} holds {level} into the [close|weekend] I will [stay long|raise my stop|stop complaining]",
      "wallets I track keep [accumulating|buying] {tag} [quietly|since Monday|in size]"
    ],
    down: [
      "{tag} down {pct} and [support is gone|the bid vanished|that low does not look safe]",
      "[stopped out|got rekt|lost my long] on {tag} at {price}, [deserved|my own fault|taking the week off]",
      "{tag} [rejected|failed] at {level} again, [weak|bears are in charge|I am out]",
      "that {tag} [drop|selloff|plunge] took [out every low of the week|my limit orders|two days of gains] in an hour",
      "sold my {tag} [into the bounce|before {level} broke|with a loss], [sleeping better|risk off]",
      "longs on {tag} were [far too crowded|paying up for funding], this [liquidation|flush] was coming",
      "{tag} looks [terrible|weak|heavy] under {level}, [lower highs all week|no buyers on spot]",
      "the [daily|four-hour] trend on {tag} is [broken|down], stop [catching knives|averaging]",
      "down {pct} in a day is [normal for|what you sign up for with] {tag} but it still [hurts|stings]",
      "my {tag} bag is [underwater again|bleeding], [not selling here|wish I had sold at {level}]",
      "[fear|panic] in the {tag} chat, [haven't seen it since last autumn|people asking if it goes to zero]",
      "exchange inflows of {tag} are [up|rising], [someone wants out|be careful]",
      "every bounce in {tag} gets sold, [lower targets now|{level} next I fear]"
    ],
    flat: [
      "{tag} [stuck|sitting|chopping] around {price}, [waiting for a break|no trade for me|fees are the only winner]",
      "anyone [reading|following] the new {tag} proposal? the [voting|incentive|treasury] part is [interesting|confusing]",
      "[range|compression] on {tag} keeps tightening, [expansion soon|I will trade the break|alerts at {level}]",
      "how do you [store|stake|track] your {tag}? [hardware wallet acting up|looking for something simple|spreadsheet hell here]",
      "{tag} fees were [two cents|lower than my bus ticket|fine] today, [the network just works|nobody talks about it]",
      "backtested [a simple|an ugly] moving-average cross on {tag}, [worse than holding|about even after fees]",
      "wrote down my plan for {tag}: [level|trigger] {level}, [invalidation below|nothing until then]",
      "options on {tag} price [a quiet week|less movement than I would], [selling nothing here|tempted by straddles]",
      "{tag} open interest is [flat|unchanged] since Tuesday, [everybody is waiting|boring but healthy]",
      "met three people at the [meetup|conference] who [build on|work with] {tag}, [smart crowd|nice folks]",
      "what is the [cheapest|fastest] way to bridge {tag} these days?",
      "Sunday reading: a [long|decent] piece on how {tag} [settles|finalises|handles upgrades]"
    ]
  },
  endings: [
    "",
    "",
    "",
    "",
    "we'll see.",
    "thoughts?",
    "dyor",
    "zoom out.",
    "no rush.",
    "let me know if I'm wrong.",
    "patience.",
    "anyway.",
    "stay safe out there",
    "will post the chart later",
    "#crypto",
    "let's go",
    "back to work.",
    "one trade at a time"
  ]
}

const koreanPhrases: Phrases = {
  openers: [
    "오늘 시황.",
    "솔직히",
    "개인 의견인데",
    "출근길에 보니",
    "질문 있습니다.",
    "차트 보는데",
    "아침부터",
    "형들",
    "메모:",
    "며칠 쉬었더니",
    "점심 먹고 보니",
    "결론부터 말하면"
  ],
  statements: {
    up: [
      "{tag} 하루 만에 {pct} [상승|올랐네요], [거래량도 붙음|아직 늦지 않은 듯|일부 익절했습니다]",
      "{tag} {level} [돌파|회복] 성공, [다음 저항까지 보유|눌림 오면 추가 매수|드디어 반등]",
      "펀딩비 낮은데 {tag} [강세|꾸준히 오름], [이런 장이 좋다|건강한 상승 같음]",
      "{tag} {price}에 [조금 더 매수|분할 매수] 했어요, [장기로 봅니다|손절은 {level} 아래]",
      "업비트 {tag} 거래대금 [늘었네요|상위권], [관심 돌아오는 중|김프도 살짝]",
      "지난주 {tag} 버틴 사람들 [승리|축하], [저도 수익 전환|본전 왔다]",
      "{tag} 일봉 [예쁘다|좋다], [신고가 가나요|추세 살아있음]"
    ],
    down: [
      "{tag} {pct} [하락|급락], [지지선 깨짐|매수세가 안 보임|물렸습니다]",
      "{tag} {level} 못 지키면 [더 떨어질 듯|손절 예정|관망]",
      "[롱|레버리지] 청산 많이 나왔네요 {tag}, [무섭다|오늘은 쉬어야지]",
      "{tag} 반등 나올 때마다 [매도|던지는 물량], [약세 지속|당분간 우려]",
      "어제 {tag} [손절|정리] 했는데 [다행|마음은 편함], {price}까지 왔네",
      "{tag} 커뮤니티 [공포|패닉] 분위기, [바닥 신호인가|아직 모르겠다]",
      "악재도 없는데 {tag} 왜 [내리는|떨어지는] 건지, [거래량도 없음|이유 아는 분]"
    ],
    flat: [
      "{tag} {price} 근처에서 [횡보|눈치보기], [방향 나오면 진입|오늘은 매매 없음]",
      "{tag} 스테이킹 [어디서 하세요|해보신 분], [수수료가 궁금|지갑 추천 좀]",
      "{tag} 미결제약정 [그대로|변화 없음], [다들 기다리는 중|지루한 장]",
      "{tag} 업그레이드 일정 [읽어보는 중|정리해봤어요], [생각보다 복잡|다음 달이라네요]",
      "이번 주 {tag} [변동성|레인지] 좁네요, [{level} 알림 걸어둠|좀 더 보자]",
      "밋업에서 {tag} [개발자|재단 분] 만났는데 [재밌었음|배울 게 많음]"
    ]
  },
  endings: [
    "",
    "",
    "",
    "다들 성투하세요",
    "의견 주세요",
    "참고만 하세요",
    "ㅎㅎ",
    "천천히 갑니다",
    "오늘도 화이팅",
    "판단은 각자",
    "#코인"
  ]
}

const russianPhrases: Phrases = {
  openers: [
    "Доброе утро.",
    "Коротко:",
    "Моё мнение:",
    "Глянул график,",
    "Вопрос к знатокам:",
    "Не рекомендация, но",
    "Итоги дня.",
    "Пока пил кофе,",
    "Честно говоря,",
    "Для себя записал:"
  ],
  statements: {
    up: [
      "{tag} за сутки [вырос на|прибавил|сделал плюс] {pct}, [объём подтверждает|шортистам тяжело|часть зафиксировал]",
      "{tag} вернул {level}, [быки снова у руля|структура хорошая|жду продолжения роста]",
      "докупил {tag} по {price}, [стоп под {level}|беру надолго|небольшим объёмом]",
      "фандинг по {tag} почти ноль, а цена [растёт|идёт вверх], [люблю такие движения|здоровый рост]",
      "месяц назад {tag} хоронили, теперь {price}, [забавно|рынок любит удивлять]",
      "закрыл лонг по {tag} с прибылью, [дальше без меня|жду отката]",
      "сильная дневная свеча по {tag}, [похоже на пробой|цель выше {level}]"
    ],
    down: [
      "{tag} [упал на|потерял|минус] {pct}, [поддержки больше нет|покупателей не видно|грустно]",
      "выбило стоп по {tag} на {price}, [сам виноват|пауза до понедельника]",
      "{tag} не удержал {level}, [слабо|медведи давят|жду ниже]",
      "лонги по {tag} [ликвидировали|вынесли], [плечо до добра не доводит|было ожидаемо]",
      "продал {tag} на отскоке, [спокойнее без позиции|риск не оправдан]",
      "в чате {tag} [паника|страх], [обычно это близко к дну|рано радоваться]",
      "каждый отскок {tag} продают, [тренд вниз|сил нет смотреть]"
    ],
    flat: [
      "{tag} стоит у {price}, [жду выхода из диапазона|сделок нет|скука]",
      "кто как хранит {tag}? [аппаратный кошелёк глючит|ищу простой вариант]",
      "читаю про обновление {tag}, [много деталей|пока не понял про комиссии]",
      "открытый интерес по {tag} не меняется, [все ждут|тишина перед движением]",
      "поставил алерт по {tag} на {level}, [до этого не трогаю|пойду гулять]",
      "комиссии в сети {tag} сегодня копеечные, [приятно|работает и ладно]"
    ]
  },
  endings: [
    "",
    "",
    "",
    "Посмотрим.",
    "Всем удачи.",
    "Что думаете?",
    "Без спешки.",
    "Не инвестсовет.",
    "Терпение.",
    "#крипта"
  ]
}

export const phrases: Readonly<Record<PostLanguage, Phrases>> = {
  en: englishPhrases,
  ko: koreanPhrases,
  ru: russianPhrases
}

/** Headlines that unrelated people copy word for word without a campaign. */
export const headlines: Readonly<Record<PostLanguage, ReadonlyArray<string>>> = {
  en: ["JUST IN: {name} trades at {price}, {pct} in 24 hours", "{name} 24h move: {pct}. Price: {price}"],
  ko: ["속보: {name} 현재 {price}, 24시간 {pct}", "{name} 24시간 변동 {pct}, 현재가 {price}"],
  ru: ["{name}: {price}, за сутки {pct}", "Срочно: {name} торгуется по {price}, {pct} за 24 часа"]
}

/**
 * Scripts that hired accounts repeat. A choice in `[a|b]` is equal in all copies of a script. A choice in `<a/b>`
 * differs between the copies.
 */
export const campaignScripts: Readonly<
  Record<PostLanguage, Readonly<Record<"pump" | "smear", ReadonlyArray<string>>>>
> = {
  en: {
    pump: [
      "{tag} is about to <explode/moon/skyrocket> [this week|any hour now|before the weekend] 🚀 [whales are loading|insiders keep buying|a giant listing is coming], <do not miss/don't miss/never miss> this [100x gem|opportunity], <buy/grab/get> it now before it is too late",
      "[my team|our group] called {tag} <early/first/again>, next target [10x|20x|50x] <confirmed/locked/guaranteed> 🔥 <join/enter> now and <thank me/thank us> later, [supply on exchanges is almost gone|the chart is screaming]",
      "[huge|massive|historic] partnership for {tag} <leaked/confirmed/coming>, [tier one exchange|sovereign fund|payments giant] involved, price will <double/triple> [overnight|in days], <load/fill> your bags 💎"
    ],
    smear: [
      "WARNING {tag} [team is dumping|founders are cashing out|reserves are missing], <sell/exit/get out> now before it <collapses/crashes/goes to zero>, [screenshots everywhere|insiders confirmed], <share/repost> to save others",
      "{tag} is a [confirmed|proven] <scam/fraud/ponzi>, [withdrawals already fail|audit was faked|wallets were drained], <do not hold/don't hold> this [one more hour|overnight]"
    ]
  },
  ko: {
    pump: [
      "{tag} [이번 주|곧|주말 전] <폭등/급등/떡상> 확정 🚀 [대형 거래소 상장|세력 매집] 완료, 지금 <매수/탑승> 안 하면 <후회/눈물>, [10배|50배] 갑니다",
      "[저희 방|우리 팀]에서 {tag} <먼저/또> 잡았습니다, 다음 목표 [10배|20배] <확정/보장>, 늦기 전에 <탑승/입장> 하세요 🔥 [물량 거의 없음|차트 미쳤음]"
    ],
    smear: [
      "경고: {tag} [재단 물량 매도|출금 중단] <확인/제보>, <상폐/붕괴> 전에 지금 <탈출/매도> 하세요, [캡처 돌고 있음|내부자 제보]"
    ]
  },
  ru: {
    pump: [
      "{tag} вот-вот <взлетит/улетит/выстрелит> 🚀 [киты грузятся|скоро крупный листинг|инсайд подтверждён], <не пропусти/успей зайти>, цель [10x|50x] <гарантирована/подтверждена>, покупай <сейчас/сегодня> пока не поздно",
      "[наша команда|наш канал] нашла {tag} <первой/раньше всех>, следующая цель [x10|x20] 🔥 <заходи/вступай> сейчас, потом <скажешь спасибо/будет поздно>, [на биржах почти не осталось монет|график кричит]"
    ],
    smear: [
      "ВНИМАНИЕ {tag} [команда сливает монеты|вывод закрыт], <продавай/выходи> пока не <рухнуло/обвалилось>, [скриншоты везде|инсайдер подтвердил]"
    ]
  }
}
