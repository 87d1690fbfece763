import { defineTexts } from "../../i18n/texts.ts"

export const signInTexts = defineTexts({
  en: {
    title: "Sign in",
    lost: "Your session has ended. Sign in again.",
    byProvider: (label: string) => `Continue with ${label}`,
    plainHttp: "Browsers store no session at this address",
    plainHttpDetail: (address: string) =>
      "The address uses plain http and is not on this machine, so a sign-in would be lost at once. Open the " +
      `console over https, or on the machine of the service at ${address}. A key works here, but travels unencrypted.`,
    byLink: "Open the link that you received. It signs you in once and expires after a few minutes.",
    orByLink: "Or open the link that you received. It signs you in once and expires after a few minutes.",
    byLinkHow: "If you run the service yourself, it prints a link at its first start. This command creates more:",
    command: "Command that creates a link",
    orKey: "Or use an API key",
    key: "API key",
    keyHint: "The key stays in the memory of this tab. It is not stored, and a reload removes it.",
    keyWrong: "A key begins with tl_live_ and contains no spaces.",
    keyUnknown: "The service does not know this key, or the key is revoked.",
    useKey: "Use the key",
    signing: "Signing you in",
    confirmLink: "Sign in with this link?",
    confirmLinkAs: (name: string) => `You are signed in as ${name}. Using the link ends that session in this browser.`,
    confirmLinkDetail:
      "The link signs in to the account that it was created for. Any site can send you here, so use the link only if " +
      "you requested it.",
    signIn: "Sign in",
    signInAgain: "Sign in again",
    staySignedIn: (name: string) => `Stay signed in as ${name}`,
    other: "Sign in another way",
    linkRejected: "This link cannot be used to sign in",
    failed: "Signing in failed"
  },
  ko: {
    title: "로그인",
    lost: "세션이 끝났습니다. 다시 로그인해 주세요.",
    byProvider: (label) => `${label} 계정으로 계속하기`,
    plainHttp: "이 주소에서는 브라우저가 세션을 저장하지 않습니다",
    plainHttpDetail: (address) =>
      "암호화되지 않은 http 주소이고 이 컴퓨터의 주소가 아니어서 로그인이 유지되지 않습니다. https로 열거나, 서비스가 실행되는 컴퓨터에서 " +
      `${address} 주소로 여세요. 키는 여기서도 쓸 수 있지만 암호화되지 않은 채 전송됩니다.`,
    byLink: "받은 링크를 여세요. 링크는 한 번만 쓸 수 있고 몇 분 뒤 만료됩니다.",
    orByLink: "또는 받은 링크를 여세요. 링크는 한 번만 쓸 수 있고 몇 분 뒤 만료됩니다.",
    byLinkHow: "서비스를 직접 운영한다면 처음 시작할 때 링크가 출력됩니다. 다음 명령으로 더 만들 수 있습니다.",
    command: "링크를 만드는 명령",
    orKey: "또는 API 키 사용",
    key: "API 키",
    keyHint: "키는 이 탭의 메모리에만 있습니다. 저장되지 않으며 새로 고치면 지워집니다.",
    keyWrong: "키는 tl_live_로 시작하며 공백이 없어야 합니다.",
    keyUnknown: "등록되지 않았거나 폐기된 키입니다.",
    useKey: "키 사용",
    signing: "로그인하는 중",
    confirmLink: "이 링크로 로그인할까요?",
    confirmLinkAs: (name) =>
      `지금은 ${name} 계정으로 로그인되어 있습니다. 링크를 사용하면 이 브라우저의 현재 세션이 종료됩니다.`,
    confirmLinkDetail:
      "링크를 발급받은 계정으로 로그인됩니다. 어떤 사이트든 이 페이지로 보낼 수 있으니, 직접 요청한 링크일 때만 사용하세요.",
    signIn: "로그인",
    signInAgain: "다시 로그인",
    staySignedIn: (name) => `${name} 계정으로 계속`,
    other: "다른 방법으로 로그인",
    linkRejected: "이 링크로는 로그인할 수 없습니다",
    failed: "로그인하지 못했습니다"
  },
  ru: {
    title: "Вход",
    lost: "Сеанс завершился. Войдите снова.",
    byProvider: (label) => `Войти через ${label}`,
    plainHttp: "По этому адресу браузеры не сохраняют сеанс",
    plainHttpDetail: (address) =>
      "Это http без шифрования, и адрес не принадлежит этому компьютеру: вход не сохранится. Откройте консоль по " +
      `https или на компьютере сервиса по адресу ${address}. Ключ здесь работает, но передаётся без шифрования.`,
    byLink: "Откройте полученную ссылку. Она действует несколько минут и только один раз.",
    orByLink: "Или откройте полученную ссылку. Она действует несколько минут и только один раз.",
    byLinkHow: "Если сервис запускаете вы, он печатает ссылку при первом запуске. Новую создаёт команда:",
    command: "Команда, которая создаёт ссылку",
    orKey: "Или используйте ключ API",
    key: "Ключ API",
    keyHint: "Ключ остаётся в памяти этой вкладки: он нигде не сохраняется и удаляется при обновлении страницы.",
    keyWrong: "Ключ начинается с tl_live_ и не содержит пробелов.",
    keyUnknown: "Такого ключа нет, или он отозван.",
    useKey: "Войти с ключом",
    signing: "Выполняется вход",
    confirmLink: "Войти по этой ссылке?",
    confirmLinkAs: (name) => `Вы вошли как ${name}. При входе по ссылке этот сеанс в браузере завершится.`,
    confirmLinkDetail:
      "Ссылка открывает аккаунт, для которого она создана. Сюда мог направить любой сайт, поэтому входите, только " +
      "если сами запросили ссылку.",
    signIn: "Войти",
    signInAgain: "Войти снова",
    staySignedIn: (name) => `Остаться как ${name}`,
    other: "Войти другим способом",
    linkRejected: "По этой ссылке войти нельзя",
    failed: "Не удалось войти"
  }
})
