import { russianPlural } from "../../i18n/language.ts"
import { defineTexts } from "../../i18n/texts.ts"

export const toolsTexts = defineTexts({
  en: {
    title: "Tools",
    lead: "All tools of the service with their prices. Try one here, then copy the call into your program.",
    search: "Search tools",
    area: "Area",
    all: "All",
    name: "Tool",
    summary: "Description",
    scope: "Scope",
    credits: "Credits",
    found: (count: number) => count === 1 ? "1 tool" : `${count} tools`,
    none: "No matching tools",
    noneDetail: "Search for fewer words, or in all areas.",
    clear: "Show all tools",
    empty: "This key cannot call any tool",
    emptyDetail: "Its scopes allow no tool. Grant it read:market, or use another key."
  },
  ko: {
    title: "도구",
    lead: "서비스의 모든 도구와 가격입니다. 여기서 실행해 보고, 같은 호출을 프로그램에서 사용하세요.",
    search: "도구 검색",
    area: "분야",
    all: "전체",
    name: "도구",
    summary: "설명",
    scope: "권한",
    credits: "크레딧",
    found: (count) => `도구 ${count}개`,
    none: "검색 결과가 없습니다",
    noneDetail: "더 적은 단어로, 또는 모든 분야에서 검색해 보세요.",
    clear: "모든 도구 보기",
    empty: "이 키로 쓸 수 있는 도구가 없습니다",
    emptyDetail: "키의 권한으로 호출할 수 있는 도구가 없습니다. read:market 권한을 추가하거나 다른 키를 사용하세요."
  },
  ru: {
    title: "Инструменты",
    lead: "Все инструменты сервиса с ценами. Попробуйте здесь и перенесите вызов в свою программу.",
    search: "Поиск инструментов",
    area: "Область",
    all: "Все",
    name: "Инструмент",
    summary: "Описание",
    scope: "Право",
    credits: "Кредиты",
    found: (count) => `${count} ${russianPlural(count, "инструмент", "инструмента", "инструментов")}`,
    none: "Инструменты не найдены",
    noneDetail: "Введите меньше слов или ищите во всех областях.",
    clear: "Показать все",
    empty: "По этому ключу инструменты недоступны",
    emptyDetail: "Его права не разрешают ни одного вызова. Добавьте read:market или используйте другой ключ."
  }
})
