import { words } from "../words/words.ts"

export const accessWords = words({
  en: {
    needed: "This needs a person who is signed in",
    neededMore: "You are here by a pasted key, and no key opens the account that it belongs to. Sign in by a link.",
    leave: "Forget the key, and sign in"
  },
  ko: {
    needed: "로그인한 사람만 볼 수 있습니다",
    neededMore: "지금은 붙여 넣은 키로 사용 중이며, 키로는 그 키가 속한 계정을 열 수 없습니다. 링크로 로그인해 주세요.",
    leave: "키를 지우고 로그인"
  },
  ru: {
    needed: "Это доступно только после входа",
    neededMore:
      "Сейчас вы работаете по вставленному ключу, а ключ не открывает аккаунт, к которому относится. Войдите по ссылке.",
    leave: "Забыть ключ и войти"
  }
})
