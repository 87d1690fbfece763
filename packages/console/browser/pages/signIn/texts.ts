import { defineTexts } from "../../i18n/texts.ts"

export const signInTexts = defineTexts({
  en: {
    title: "Sign in",
    lost: "Your session has ended. Sign in again.",
    byProvider: (label: string) => `Continue with ${label}`,
    plainHttp: "Browsers keep no session at this address",
    plainHttpDetail: (address: string) =>
      "It is plain http and not this machine's own, so a sign-in would be forgotten at once. Open the console over https, " +
      `or on the machine of the service at ${address}. A key works here, but travels unencrypted.`,
    byLink: "Open the link that you were given. It signs you in once, and for a few minutes only.",
    orByLink: "Or open the link that you were given. It signs you in once, and for a few minutes only.",
    byLinkHow: "Where you run the service yourself, it prints one at its first start, and makes more by:",
    command: "Command that makes a link",
    orKey: "Or look around with an API key",
    key: "API key",
    keyHint: "It stays in this tab's memory: nothing is stored, and a reload forgets it.",
    keyWrong: "A key begins with tl_live_ and has no spaces.",
    keyUnknown: "The service does not know this key, or it is revoked.",
    useKey: "Use the key",
    signing: "Signing you in",
    confirmLink: "Sign in by this link?",
    confirmLinkAs: (name: string) => `You are signed in as ${name}. That ends in this browser when the link is used.`,
    confirmLinkDetail:
      "The link signs in to the account that it was made for, which any site can have led you to. Use it if you asked for it.",
    signIn: "Sign in",
    signInAgain: "Sign in anew",
    staySignedIn: (name: string) => `Stay signed in as ${name}`,
    other: "Another way in",
    linkRejected: "This link signs nobody in",
    failed: "You could not be signed in"
  },
  ko: {
    title: "로그인",
    lost: "세션이 끝났습니다. 다시 로그인해 주세요.",
    byProvider: (label) => `${label} 계정으로 계속하기`,
    plainHttp: "이 주소에서는 브라우저가 세션을 저장하지 않습니다",
    plainHttpDetail: (address) =>
      "암호화되지 않은 http이고 이 컴퓨터의 주소가 아니어서 로그인해도 바로 잊힙니다. https로 열거나, 서비스가 실행되는 컴퓨터에서 " +
      `${address} 주소로 여세요. 키는 여기서도 쓸 수 있지만 암호화되지 않은 채 전송됩니다.`,
    byLink: "받은 링크를 열어 주세요. 링크는 몇 분 동안 한 번만 쓸 수 있습니다.",
    orByLink: "또는 받은 링크를 열어 주세요. 링크는 몇 분 동안 한 번만 쓸 수 있습니다.",
    byLinkHow: "서비스를 직접 운영한다면 처음 시작할 때 링크가 출력되고, 다음 명령으로 더 만들 수 있습니다.",
    command: "링크를 만드는 명령",
    orKey: "또는 API 키로 둘러보기",
    key: "API 키",
    keyHint: "이 탭의 메모리에만 있습니다. 저장되지 않으며 새로 고치면 사라집니다.",
    keyWrong: "키는 tl_live_로 시작하고 공백이 없습니다.",
    keyUnknown: "서비스가 모르는 키이거나 폐기된 키입니다.",
    useKey: "키 사용",
    signing: "로그인하는 중",
    confirmLink: "이 링크로 로그인할까요?",
    confirmLinkAs: (name) =>
      `지금은 ${name} 계정으로 로그인되어 있습니다. 링크를 사용하면 이 브라우저에서 그 세션이 끝납니다.`,
    confirmLinkDetail:
      "링크는 그것이 발급된 계정으로 로그인합니다. 어떤 사이트든 여기로 보낼 수 있으니, 직접 요청한 링크일 때만 사용하세요.",
    signIn: "로그인",
    signInAgain: "새로 로그인",
    staySignedIn: (name) => `${name} 계정으로 계속`,
    other: "다른 방법으로 로그인",
    linkRejected: "이 링크로는 로그인할 수 없습니다",
    failed: "로그인하지 못했습니다"
  },
  ru: {
    title: "Вход",
    lost: "Сеанс закончился. Войдите снова.",
    byProvider: (label) => `Войти через ${label}`,
    plainHttp: "По этому адресу браузеры не хранят сеанс",
    plainHttpDetail: (address) =>
      "Это http без шифрования и не адрес этого компьютера: вход сразу забудется. Откройте консоль по https " +
      `или на компьютере сервиса по адресу ${address}. Ключ здесь работает, но передаётся без шифрования.`,
    byLink: "Откройте ссылку, которую вам дали. Она действует несколько минут и только один раз.",
    orByLink: "Или откройте ссылку, которую вам дали. Она действует несколько минут и только один раз.",
    byLinkHow: "Если сервис ваш, он печатает ссылку при первом запуске, а новые делает так:",
    command: "Команда, которая делает ссылку",
    orKey: "Или осмотритесь с ключом API",
    key: "Ключ API",
    keyHint: "Он остаётся в памяти этой вкладки: нигде не хранится и исчезает при перезагрузке.",
    keyWrong: "Ключ начинается с tl_live_ и не содержит пробелов.",
    keyUnknown: "Сервис не знает этого ключа, или ключ отозван.",
    useKey: "Войти с ключом",
    signing: "Выполняется вход",
    confirmLink: "Войти по этой ссылке?",
    confirmLinkAs: (name) => `Вы вошли как ${name}. Если использовать ссылку, этот сеанс в браузере закончится.`,
    confirmLinkDetail:
      "Ссылка пускает в аккаунт, для которого её сделали, а привести сюда мог любой сайт. Входите, если вы её запрашивали.",
    signIn: "Войти",
    signInAgain: "Войти заново",
    staySignedIn: (name) => `Остаться как ${name}`,
    other: "Войти иначе",
    linkRejected: "По этой ссылке войти нельзя",
    failed: "Войти не удалось"
  }
})
