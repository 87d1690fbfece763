import { defineTexts } from "../i18n/texts.ts"

export const accessWords = defineTexts({
  en: {
    needed: "This needs a person who is signed in",
    neededDetail: "You are here by a pasted key, and no key opens the account that it belongs to. Sign in by a link.",
    leave: "Forget the key, and sign in",
    other: (name: string, id: number) => `This browser is signed in as ${name} now, account ${id}`,
    otherDetail: (name: string, id: number) =>
      `This page was opened for ${name}, account ${id}. Nothing that it asked for since was done. Load it anew to go on as who is signed in now.`
  },
  ko: {
    needed: "로그인한 사람만 볼 수 있습니다",
    neededDetail:
      "지금은 붙여 넣은 키로 사용 중이며, 키로는 그 키가 속한 계정을 열 수 없습니다. 링크로 로그인해 주세요.",
    leave: "키를 지우고 로그인",
    other: (name, id) => `이 브라우저는 지금 ${name} 계정(${id})으로 로그인되어 있습니다`,
    otherDetail: (name, id) =>
      `이 페이지는 ${name} 계정(${id})으로 열렸습니다. 그 뒤로 이 페이지가 요청한 것은 처리되지 않았습니다. 지금 로그인한 계정으로 계속하려면 페이지를 새로 불러오세요.`
  },
  ru: {
    needed: "Это доступно только после входа",
    neededDetail:
      "Сейчас вы работаете по вставленному ключу, а ключ не открывает аккаунт, к которому относится. Войдите по ссылке.",
    leave: "Забыть ключ и войти",
    other: (name, id) => `Сейчас в этом браузере выполнен вход как ${name}, аккаунт ${id}`,
    otherDetail: (name, id) =>
      `Страница открыта для ${name}, аккаунт ${id}. Ничего из того, что запрошено ею с тех пор, не выполнено. Загрузите её заново, чтобы продолжить от имени того, кто вошёл сейчас.`
  }
})
