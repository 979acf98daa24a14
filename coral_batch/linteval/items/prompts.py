"""The instructions: ten in Russian, the benchmark's language, and ten in English.

Each has the placeholders ``{code}`` and ``{feedback}`` and asks for the answer as one fenced block.
The first Russian one is the benchmark's published example, to the letter; the others say the same
in other words, orders and lengths.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_RUSSIAN = (
    "Перепиши код с учетом ошибок полученных от линтера. Ошибки указывают на критические слабые "
    "места: потенциальные баги, уязвимости безопасности и нарушения принципов чистого кода. "
    "Исправь ВСЕ указанные ошибки без исключений, сохрани исходную логику программы, строго "
    "соблюдай PEP-8 для Python, не добавляй комментарии и объяснения. \n"
    "Замечания линтера:\n{feedback}\n\nКод:\n{code}\n"
    "Приведите ответ в формате, соответствующем шаблону для ответа:\n```python\n<code> ```",
    "Ниже программа на Python и всё, что о ней сообщил flake8. Верни программу, на которую flake8 "
    "не пожалуется ни разу; её поведение не должно измениться.\n\nПрограмма:\n{code}\n\n"
    "Сообщения flake8:\n{feedback}\n"
    "В ответе должен быть только код, в таком блоке:\n```python\n<code>\n```",
    "flake8 проверил файл и нашёл следующее:\n{feedback}\nВот этот файл:\n{code}\n\n"
    "Устрани каждую находку. Имена функций, их аргументы и результаты оставь прежними.\n"
    "Формат ответа:\n```python\n<code>\n```",
    "Код не прошёл автоматическую проверку стиля. Приведи его в порядок по списку замечаний и "
    "следи, чтобы не появились новые.\n\nЗамечания:\n{feedback}\nКод:\n{code}\n\n"
    "Пиши без пояснений, одним блоком:\n```python\n<code>\n```",
    "Исправь стиль.\n\n{code}\n\nЧто нашёл линтер:\n{feedback}\nОтвет:\n```python\n<code>\n```",
    "Представь, что этот файл завтра войдёт в проект, где линтер обязан молчать. Сейчас он "
    "выводит:\n{feedback}\nСодержимое файла:\n{code}\n\n"
    "Пришли файл целиком в исправленном виде. Считать он должен то же, что и раньше.\n"
    "Оформление:\n```python\n<code>\n```",
    "Задание: отредактировать программу так, чтобы flake8 с настройками по умолчанию не вывел ни "
    "строки.\nДано:\n1) программа\n{code}\n\n2) вывод flake8 до правки\n{feedback}\n"
    "Требования: логика прежняя, программа полная, вокруг кода никакого текста.\n"
    "```python\n<code>\n```",
    "После каждого сообщения линтера указан номер строки. Пройди по списку сверху вниз, поправь "
    "эти строки и всё, что от них зависит.\n\nСписок:\n{feedback}\nИсходный текст:\n{code}\n\n"
    "Выведи итоговый текст программы:\n```python\n<code>\n```",
    "Ты проводишь ревью. Автор прислал код:\n{code}\n\nПроверка показала:\n{feedback}\n"
    "Внеси правки сам: отступы, пробелы, пустые строки, лишние имена, длина строк до 79 знаков. "
    "Алгоритм не трогай. Ответь только кодом:\n```python\n<code>\n```",
    "Почини код по замечаниям линтера, ничего не пропуская и ничего не ломая.\n"
    "Код:\n{code}\n\nЗамечания:\n{feedback}\n"
    "Готовый код помести сюда:\n```python\n<code>\n```",
)

_ENGLISH = (
    "Rewrite this Python program so that the linter has nothing left to say. Mend every finding in "
    "the list, keep what the program does, follow PEP 8, and add neither comments nor "
    "explanations.\nFindings:\n{feedback}\n\nCode:\n{code}\n"
    "Answer in this form:\n```python\n<code>\n```",
    "Below are a Python program and everything that flake8 reports about it. Return a program that "
    "flake8 accepts without a word; its behaviour must stay the same.\n\nProgram:\n{code}\n\n"
    "flake8 says:\n{feedback}\nThe answer is code alone, in such a block:\n```python\n<code>\n```",
    "flake8 checked a file and found this:\n{feedback}\nHere is the file:\n{code}\n\n"
    "Remove the cause of each finding. Leave the functions' names, arguments and results as they "
    "are.\nFormat of the answer:\n```python\n<code>\n```",
    "The code did not pass an automatic style check. Put it in order, point by point, and take "
    "care that no new findings appear.\n\nPoints:\n{feedback}\nCode:\n{code}\n\n"
    "No prose, one block:\n```python\n<code>\n```",
    "Fix the style.\n\n{code}\n\nWhat the linter found:\n{feedback}\n"
    "Answer:\n```python\n<code>\n```",
    "Tomorrow this file joins a project in which the linter has to be silent. Today it prints:\n"
    "{feedback}\nThe file:\n{code}\n\n"
    "Send the whole file, corrected. It has to compute what it did before.\n"
    "Form:\n```python\n<code>\n```",
    "Task: edit the program until flake8, with its default settings, prints no line.\n"
    "Given:\n1) the program\n{code}\n\n2) flake8's output before the edit\n{feedback}\n"
    "Conditions: the same logic, the complete program, no text around the code.\n"
    "```python\n<code>\n```",
    "Each message of the linter ends with a line number. Go through the list from top to bottom "
    "and correct these lines and all that depends on them.\n\nList:\n{feedback}\n"
    "Source:\n{code}\n\nPrint the resulting source:\n```python\n<code>\n```",
    "You are reviewing code. The author sent:\n{code}\n\nThe check shows:\n{feedback}\n"
    "Make the edits yourself: indentation, spaces, blank lines, unused names, lines of at most 79 "
    "characters. Do not touch the algorithm. Reply with code only:\n```python\n<code>\n```",
    "Repair the code as the linter asks, leaving nothing out and breaking nothing.\n"
    "Code:\n{code}\n\nFindings:\n{feedback}\n"
    "Put the finished code here:\n```python\n<code>\n```",
)

PROMPTS: Mapping[str, tuple[str, ...]] = MappingProxyType({"ru": _RUSSIAN, "en": _ENGLISH})
"""Language -> its ten instructions."""
