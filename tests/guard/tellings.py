"""How people tell each other a password, a PIN or a code; "{}" is where the value stands."""

from __future__ import annotations

import random
import string

PASSWORDS = """
비밀번호는 {} 입니다
비 밀 번 호 : {}
비번 {}야
비번은 {}로 바꿨어
비번을 {}로 바꿨으니까 참고해
비번: {}
비번={}
내 비번 기억해 줘, {}
암호는 {}
암호 : {}
패스워드는 {}이에요
패스워드 {} 쓰면 돼
{}가 내 비밀번호야
{} 이게 와이파이 비번임
와이파이 비번은 {}
와이파이 비밀번호: {}
집 공유기 비번이 {}였던 것 같아
노트북 암호 말해줄게. {}
로그인할 때 {} 쓰면 돼
아이디 minji 비번 {}
ID: admin / PW: {}
관리자 비밀번호 → {}
엑셀 열 때 암호 물어보면 {} 넣어
비번 까먹지 마. {}이야
비번이 뭐였더라 아 맞다 {}
임시 비밀번호는 {} 이니 로그인 후 변경하세요
my password is {}
My wifi password is {}.
password: {}
the password for my laptop is {}
pw {}
pwd={}
pass: {}
the password's {}
I changed my password to {}
{} is my password
use {} as the password
login: jane / {}
username admin password {}
log in with guest / {}
I always use {} as my password, bad habit
just type {} when it asks for a password
remember my wifi password, it's {}
Here's the wifi password. It's {}
the passphrase is "{}"
p a s s w o r d : {}
shared account: team@acme.example, password {}
""".strip().splitlines()
CODES = """
우리집 현관 비번 {}이야
현관 비밀번호 바뀌었어 이제 {}야
도어락 번호 {} 적어놔
핀번호는 {}입니다
통장 비밀번호 {}
휴대폰 잠금 비번 {}인데 애가 자꾸 풀어
사물함 비번 {}이었던 것 같아
택배 무인함 비번은 {} 꼭 오늘 안에 찾아가
my PIN is {}
PIN: {}
The PIN for my debit card is {}
the door code is {}
gate code {}
alarm code for the cabin: {}
garage keypad is {}
the code for the garage is {}
My phone unlocks with {}
luggage lock combo is {}
""".strip().splitlines()
ONE_TIME = """
인증번호 {}
인증번호 {} 왔어
문자로 온 인증 코드 [{}] 입력해줘
OTP 지금 {}, 30초 안에 넣어
문자로 {} 왔는데 인증번호 맞지?
Your verification code is {}
2FA code just came in: {}
the OTP is {}
""".strip().splitlines()
CARD_CODES = """
CVC {}
카드 뒷면 CVC는 {}
CVC 번호는 {}이고 유효기간은 09/27
CVC on the back is {}
cvv: {}
card verification value {}, expiry 09/29
""".strip().splitlines()
WORDS = ("tiger", "mango", "Quill", "harbor", "Nuri", "copper", "velvet", "Rowan", "qkqh", "dksshd")


def password(rng: random.Random) -> str:
    """Make up what a person might choose: a word with digits, or with digits and a sign."""
    word, digits = rng.choice(WORDS), "".join(rng.choices(string.digits, k=rng.randint(3, 4)))
    sign = rng.choice("!@#$%^&*_+")
    return rng.choice(
        (word + digits, word + sign + digits, digits + word + sign, word + digits + sign)
    )


def code(rng: random.Random, length: int) -> str:
    """Make up digits that open something; never a year of ours."""
    return rng.choice("35678") + "".join(rng.choices(string.digits, k=length - 1))
