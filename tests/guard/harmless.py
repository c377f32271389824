"""Sentences that look like they hold something secret and do not."""

from __future__ import annotations

CODE = """
commit 9fceb02d0ae598e95dc970b74767f19372d61af8 fixed it
git revert 1a410efbd13591db07496601ebc7a059dd55cfd9
sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
md5sum is 5f4dcc3b5aa765d61d8327deb882cf99
request id 550e8400-e29b-41d4-a716-446655440000
trace 7b2f1c9a-0d3e-4f5a-8b6c-9d0e1f2a3b4c failed
UUID는 123e4567-e89b-12d3-a456-426614174000 형식이야
import tokenize; tokens = tokenizer.encode(text)
max_tokens=4096, temperature=0.7
token_count: 128000
const token = process.env.API_TOKEN
password = os.environ["DB_PASSWORD"]
api_key: ${API_KEY}
API_KEY=your_api_key_here
SECRET_KEY=<your-secret-key>
export TOKEN=xxxxxxxxxxxxxxxxxxxxxxxx
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
postgres://user:password@localhost:5432/db
https://user:${PASS}@example.com
mysql://root:****@localhost
sk-fading-circle is a spinner class
.sk-cube-grid .sk-cube1 { animation-delay: 0.2s }
the npm_config_registry variable
hf_transfer speeds up downloads
key-value-store-with-many-words
secret_santa_list_for_the_whole_family
re_path(r'^articles/(?P<year>[0-9]{4})/$', view)
pat_mat and other silly names
AKIA is the prefix of an access key id
ghp_ tokens start with four letters
xoxb-your-slack-bot-token
use glpat-<token> in CI
eyJ is how a JWT starts
-----BEGIN CERTIFICATE----- is public
-----BEGIN PUBLIC KEY-----
ssh-rsa AAAAB3NzaC1yc2E is a public key prefix
pip install -r requirements.txt --index-url https://pypi.org/simple
https://example.com/path/to/page?id=1234567890&ref=abc
http://localhost:8080/api/v1/users/42
docker run -u 1000:1000 image
file:///home/user/documents/report-2024-final-v3.pdf
/usr/local/lib/python3.11/site-packages/numpy/core/__init__.py
C:\\Users\\kim\\AppData\\Local\\Temp\\setup-1.2.3.exe
public key fingerprint SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw4E5SY8
build 20241115.3 of branch release/2024.11
version 10.15.7-beta.2+build.5114
color #ff00aa and #1a2b3c4d
Intel Core i7-12700K with RTX4090
model WH-1000XM5 headphones
ISBN 978-89-6626-095-3
isbn 9788966260959
DOI 10.1000/182
arXiv 2601.05504
RFC 7519 describes JSON Web Tokens
CVE-2025-51482 was fixed
ETag W/"33a64df551425fcc55e4d42a148795d9f25f89d4"
cache key user:42:profile:v2
the primary key is user_id
partition key and sort key
password_hash varchar(255) not null
def reset_password(user): ...
from getpass import getpass
input type=password maxlength=64
tokenizer.json and vocab.txt
base64.b64encode(data)
0x80070057 error
0xdeadbeef is a magic number
127.0.0.1:5432
2001:0db8:85a3:0000:0000:8a2e:0370:7334
MAC 00:1A:2B:3C:4D:5E
coordinates 37.5665, 126.9780
"""
NUMBERS = """
주문번호 20241115-0001234
주문 번호 241015-3123456 확인해 주세요
송장번호 6123-4567-8901 로 조회돼요
운송장 123456789012
예약번호 AB12CD34
접수번호 2024-1234-5678
order 1234-5678-9012-3456 shipped
tracking number 9400 1000 0000 0000 0000 00
invoice INV-2024-001234
timestamp 1731628800
epoch ms 1731628800123
2024-11-15 10:30:00
2024.11.15 ~ 2024.12.31
2024/11/15 14:20
1999-12-31부터 2024-01-01까지
오전 10시 30분에 만나
전화는 1588-1234 고객센터로
고객센터 1544-9999
112나 119로 신고해
가격은 1,234,567원
총 12345678원 입금됐어
연봉 52000000원
조회수 1234567회
팔로워 1000000명
좋아요 12345개
인구 51740000명
원주율은 3.14159265358979
자연상수 2.718281828459045
확률 0.000123456789
1234567890123456 bytes
파일 크기 1073741824 바이트
1 2 3 4 5 6 7 8 9 10 11 12 13
로또 번호 3 11 15 29 35 44
스코어 101-99로 이겼다
아파트 101동 1204호
우편번호 06236
zip code 90210-1234
버스 6001번
지하철 2호선 강남역 11번 출구
채널 02번에서 7번까지
키 178 몸무게 65
혈압 120-80
방 3개 욕실 2개
사이즈 90-95-100
제품번호 8801234567890
바코드 8809012345678
serial no 1234-5678-9012
part number 555-1234-678
SKU 4111-1111
법인등록번호 110111-1234567
논문 12(3):456-789
성경 3:16-18
pages 1024-2048
port 5432 and 6379
RGB 255-128-0
room 1204-3
flight KE1234 on 15 Nov
case no. 2024-12345
ticket 4821 is closed
PR 1234 and issue 5678
lot 20241115123456
build 2024111510300001
sample 4111111111111112 fails the checksum
id 1234567812345678 in the log
+1 for this idea
+10000000 won profit
C++20 and C++23
UTC+09:00
A4 80g 500매
5+5+5=15
3×4=12
10-20-30 규칙
1-2-3-4 하고 셋에 뛰어
2-3-5-7-11-13 소수
800-900 사이
100-200-300 메모
2025 2026 2027 2028 계획
AB123456 버전
S24 Ultra 256GB
K5 하이브리드 2.0
"""
TALK = """
비밀번호 바꿔야 해
암호학 스터디 같이 하자
오늘 비번인 날이라 늦잠 잤어
내일 비번이라 여행 가
토큰 4096개까지 넣을 수 있어
password manager 하나 추천해 줘
비밀번호는 8자 이상이어야 한대
비밀번호 4자리 입력하세요
비밀번호를 자꾸 까먹어
비번 뭐였더라
비번은 절대 안 알려 줘
비밀번호가 뭐예요?
비밀번호: 필수 입력
비밀번호 규칙은 대문자와 숫자 포함
비밀번호 변경 주기는 90일이야
비밀번호 오류 5회면 잠겨
비밀번호를 2024년 1월에 바꿨어
비밀번호 재설정 메일이 안 와
비밀번호 해시는 bcrypt로 해
비밀번호 없이 FIDO2 키로 로그인해
암호화폐가 2024년에 많이 올랐지
암호화 알고리즘은 AES256이 기본이야
암호문은 base64로 바꿔서 보내
암호 해독 영화 봤어
양자암호 연구가 활발해
인증번호가 안 와
인증번호 6자리가 안 와서 다시 눌렀어
인증번호 유효시간은 180초야
OTP 앱을 새로 깔았어
CVC 입력하는 칸이 안 보여
핀란드 여행 2025년에 가자
핀 3개가 부러졌어
핀테크 회사 20곳을 조사했어
현관에 택배 3개 왔어
현관문 고치는 데 150000원 들었어
도어락 건전지 AA 4개 필요해
도어락 모델은 SHP-DP609야
금고에 5000만원 있대
창고에 3000개 남았어
자물쇠 2개 샀어
캐리어 24인치 샀어
잠금 화면 사진을 바꿨어
코드 리뷰 12건 끝냈어
에러 코드 50012가 떠
쿠폰 코드 WELCOME2024 쓰면 할인
로그인 페이지 v2.3 배포했어
로그인 시도 1500건 차단
계정 3개를 정리했어
와이파이 공유기 AX3000 샀어
시크릿 가든 20부작 다 봤어
패스트푸드 2000칼로리
하이패스 50000원 충전
보안 교육 2024-03-15에 있어
보안 업데이트 KB5034441 설치했어
카드 두 장 만들었어
카드 한도 5000000원
신한은행 가서 통장 만들었어
우리 2024년 계획 세우자
하나 둘 셋 넷
계좌 이체는 내일 할게
통장에 12345678원 있어
여권 갱신하는 데 53000원
운전면허 갱신 기간이야
사업자등록 하려면 어디로 가?
주민센터 3층으로 와
전화번호 좀 알려 줄래?
연락처를 잃어버렸어
번호표 1234번 손님
I forgot my password again
the password must have at least 12 characters
my password is too short
the password is wrong
password is required
the password reset email never came
password hashing with argon2id is slow
passwords are hashed with PBKDF2 and 600000 iterations
1Password or Bitwarden?
the PIN has 4 digits
pin the message please
pinned 3 tabs
OTP expired after 30 seconds
verification code never arrived
zip code 90210
error code 50012 again
status code is 5003
dress code casual
promo code SAVE2024
the source code is 2000 lines
passport renewal takes 20 days
passed 1200 tests
bypass the cache
pass the salt
season pass costs 49900
boarding pass seat 23A
secret santa budget is 20 dollars
the secret ingredient is cumin
login page v2.3.1 is live
log in with Google
sign in with your Apple ID
credentials expire 2025-06-30
wifi 6E router AXE7800
combination of 3000 samples
door number 1204
gate A12 closes at 18:05
the safe weighs 1200 kg
unlocked 2024 achievements
key findings of the report
the key is under the mat
a token of my love
bearer of bad news
basic understanding of physics
basic-authentication-mechanism
account executives at the bank
call me maybe
text me later
the number of the beast is 666
my cell has 3 bars
reach out on 2024-05-01
"""
LOOK_ALIKES = [
    line for group in (CODE, NUMBERS, TALK) for line in group.strip().splitlines() if line
]
