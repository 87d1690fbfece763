/**
 * Builds one pattern for words in three languages. It matches whole English words, Korean stems (particles follow
 * them), and the beginnings of Russian words (their endings vary).
 */
export const wordPattern = (english: string, korean: string, russian: string, flags = "iu"): RegExp =>
  new RegExp(
    `(?<![a-zа-я0-9])(?:${english})(?![a-zа-я])|${korean}|(?<![a-zа-я])(?:${russian})`,
    flags
  )
