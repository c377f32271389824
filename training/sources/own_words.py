"""Everyday word pairs in Korean and English, by class, for the grammar in `own`."""

from __future__ import annotations

Word = tuple[str, str]

# Each entry is Korean=English. Words that end a class name's noun phrase carry no article;
# "ill", "bring" and other classes that need one carry it themselves.
_TABLE: dict[str, str] = {
    "appliance": """제습기=dehumidifier; 가습기=humidifier; 인덕션=induction stove; 에어컨=air conditioner; 세탁기=washing machine; 건조기=clothes dryer; 공기청정기=air purifier; 냉장고=refrigerator; 전자레인지=microwave; 전기밥솥=rice cooker; 식기세척기=dishwasher; 로봇청소기=robot vacuum; 청소기=vacuum cleaner; 선풍기=electric fan; 보일러=boiler; 전기장판=electric blanket; 에어프라이어=air fryer; 오븐=oven; 정수기=water purifier; 커피머신=coffee machine; 믹서기=blender; 전기포트=electric kettle; 다리미=iron; 드라이기=hair dryer; 비데=bidet; 도어록=door lock; 스타일러=clothes steamer; 온수매트=heated mat; 전기면도기=electric shaver; 토스터=toaster""",
    "gadget": """스마트폰=smartphone; 노트북=laptop; 태블릿=tablet; 무선 이어폰=wireless headset; 스마트워치=smartwatch; 프린터=printer; 공유기=router; 모니터=monitor; 키보드=keyboard; 마우스=mouse; 텔레비전=television; 스피커=speaker; 빔프로젝터=projector; 카메라=camera; 보조배터리=power bank; 충전기=charger; 전자책 리더기=e-book reader; 게임기=game console; 블랙박스=dash cam; 내비게이션=navigation system; 외장하드=external drive; 웹캠=webcam; 체중계=bathroom scale; 혈압계=blood pressure monitor""",
    "food": """김치찌개=kimchi stew; 된장찌개=soybean paste stew; 비빔밥=bibimbap; 떡볶이=tteokbokki; 불고기=bulgogi; 삼겹살=grilled pork belly; 냉면=cold noodles; 칼국수=knife-cut noodles; 만두=dumplings; 잡채=japchae; 갈비탕=short rib soup; 삼계탕=ginseng chicken soup; 순두부=soft tofu; 김밥=gimbap; 라면=instant noodles; 치킨=fried chicken; 피자=pizza; 파스타=pasta; 초밥=sushi; 카레=curry; 쌀국수=rice noodle soup; 짜장면=black bean noodles; 샐러드=salad; 샌드위치=sandwiches; 햄버거=hamburgers; 스테이크=steak; 돈가스=pork cutlet; 미역국=seaweed soup; 회=raw fish; 죽=rice porridge; 딸기=strawberries; 수박=watermelon; 복숭아=peaches; 사과=apples; 귤=tangerines; 포도=grapes; 감=persimmons; 고구마=sweet potatoes; 옥수수=corn; 떡=rice cakes; 초콜릿=chocolate; 아이스크림=ice cream; 케이크=cake; 빵=bread; 팥빙수=shaved ice with red beans; 호떡=sweet pancakes; 붕어빵=fish-shaped pastries""",
    "drink": """커피=coffee; 녹차=green tea; 홍차=black tea; 보리차=barley tea; 우유=milk; 두유=soy milk; 맥주=beer; 막걸리=makgeolli; 소주=soju; 와인=wine; 오렌지주스=orange juice; 아이스 아메리카노=iced americano; 라테=latte; 콜라=cola; 탄산수=sparkling water; 식혜=sweet rice drink; 유자차=citron tea; 디카페인 커피=decaf coffee""",
    "allergen": """땅콩=peanuts; 새우=shrimp; 복숭아=peaches; 우유=milk; 계란=eggs; 밀가루=wheat; 꽃가루=pollen; 먼지=dust; 고양이 털=cat hair; 견과류=nuts; 게=crab; 조개=clams; 메밀=buckwheat; 페니실린=penicillin; 키위=kiwi; 집먼지진드기=dust mites""",
    "city": """서울=Seoul; 부산=Busan; 대구=Daegu; 인천=Incheon; 광주=Gwangju; 대전=Daejeon; 울산=Ulsan; 수원=Suwon; 춘천=Chuncheon; 강릉=Gangneung; 전주=Jeonju; 경주=Gyeongju; 여수=Yeosu; 속초=Sokcho; 제주=Jeju; 세종=Sejong; 포항=Pohang; 목포=Mokpo; 안동=Andong; 통영=Tongyeong; 청주=Cheongju; 천안=Cheonan; 도쿄=Tokyo; 오사카=Osaka; 교토=Kyoto; 후쿠오카=Fukuoka; 삿포로=Sapporo; 베이징=Beijing; 상하이=Shanghai; 홍콩=Hong Kong; 타이베이=Taipei; 방콕=Bangkok; 하노이=Hanoi; 다낭=Da Nang; 싱가포르=Singapore; 발리=Bali; 파리=Paris; 런던=London; 로마=Rome; 바르셀로나=Barcelona; 리스본=Lisbon; 베를린=Berlin; 프라하=Prague; 빈=Vienna; 뉴욕=New York; 시애틀=Seattle; 밴쿠버=Vancouver; 토론토=Toronto; 시드니=Sydney; 멜버른=Melbourne; 이스탄불=Istanbul; 두바이=Dubai""",
    "country": """한국=Korea; 일본=Japan; 중국=China; 대만=Taiwan; 베트남=Vietnam; 태국=Thailand; 인도=India; 인도네시아=Indonesia; 몽골=Mongolia; 호주=Australia; 뉴질랜드=New Zealand; 미국=the United States; 캐나다=Canada; 멕시코=Mexico; 브라질=Brazil; 영국=the United Kingdom; 프랑스=France; 독일=Germany; 이탈리아=Italy; 스페인=Spain; 포르투갈=Portugal; 스위스=Switzerland; 노르웨이=Norway; 핀란드=Finland; 그리스=Greece; 튀르키예=Türkiye; 이집트=Egypt; 모로코=Morocco; 케냐=Kenya""",
    "spot": """병원=hospital; 약국=pharmacy; 치과=dental clinic; 은행=bank; 우체국=post office; 도서관=library; 서점=bookshop; 편의점=convenience store; 마트=supermarket; 시장=market; 백화점=department store; 세탁소=dry cleaner; 미용실=hair salon; 헬스장=gym; 수영장=swimming pool; 공원=park; 카페=cafe; 빵집=bakery; 꽃집=flower shop; 문구점=stationery shop; 주민센터=community centre; 구청=district office; 경찰서=police station; 소방서=fire station; 영화관=cinema; 미술관=art museum; 박물관=museum; 공항=airport; 기차역=train station; 버스터미널=bus terminal; 지하철역=subway station; 주유소=petrol station; 주차장=parking lot; 호텔=hotel; 숙소=place to stay; 식당=restaurant; 동물병원=animal clinic; 어린이집=daycare centre; 초등학교=primary school; 놀이공원=amusement park; 해수욕장=beach; 전망대=observatory; 안경점=optician""",
    "elder": """엄마=mom; 아빠=dad; 어머니=mother; 아버지=father; 할머니=grandmother; 할아버지=grandfather; 외할머니=maternal grandmother; 장모님=mother-in-law; 이모=aunt; 외삼촌=uncle; 고모=paternal aunt; 시아버지=father-in-law""",
    "elder1": """엄마=mom; 아빠=dad; 어머니=mother; 아버지=father; 할머니=grandmother; 할아버지=grandfather; 장모님=mother-in-law; 장인어른=father-in-law; 외삼촌=uncle; 이모=aunt""",
    "peer": """동생=younger sibling; 여동생=younger sister; 남동생=younger brother; 아내=wife; 남편=husband; 딸=daughter; 아들=son; 조카=nephew; 사촌=cousin; 친한 친구=close friend; 룸메이트=roommate; 회사 동료=coworker; 대학 동기=college classmate; 옆집 이웃=next-door neighbour; 언니=older sister; 형=older brother""",
    "job": """간호사=nurse; 의사=doctor; 교사=teacher; 약사=pharmacist; 변호사=lawyer; 회계사=accountant; 개발자=software developer; 디자이너=designer; 요리사=cook; 제빵사=baker; 미용사=hairdresser; 소방관=firefighter; 경찰관=police officer; 공무원=civil servant; 통역사=interpreter; 번역가=translator; 사진작가=photographer; 기자=reporter; 농부=farmer; 버스 기사=bus driver; 건축가=architect; 연구원=researcher; 수의사=vet; 사서=librarian; 물리치료사=physical therapist; 영업사원=salesperson""",
    "hobby": """등산=hiking; 수영=swimming; 요가=yoga; 달리기=running; 자전거=cycling; 낚시=fishing; 캠핑=camping; 사진=photography; 뜨개질=knitting; 베이킹=baking; 테니스=tennis; 배드민턴=badminton; 볼링=bowling; 필라테스=pilates; 클라이밍=climbing; 서예=calligraphy; 도예=pottery; 그림=drawing; 기타=guitar; 피아노=piano; 바이올린=violin; 바둑=baduk; 보드게임=board games; 명상=meditation; 정원 가꾸기=gardening; 스키=skiing; 서핑=surfing; 춤=dancing; 합창=choir singing; 영어 회화=English conversation; 일본어=Japanese; 스페인어=Spanish""",
    "event": """회의=meeting; 시험=exam; 면접=job interview; 발표=presentation; 회식=team dinner; 결혼식=wedding; 졸업식=graduation ceremony; 동창회=school reunion; 건강검진=health check-up; 치과 예약=dental appointment; 이사=house move; 워크숍=workshop; 콘서트=concert; 가족 모임=family gathering; 집들이=housewarming; 돌잔치=first birthday party; 송년회=year-end party; 환영회=welcome party; 마라톤 대회=marathon; 전시회=exhibition; 학부모 상담=parent-teacher meeting; 출장=business trip; 여행=trip; 세미나=seminar; 운동회=sports day""",
    "body": """머리=head; 허리=lower back; 무릎=knee; 어깨=shoulder; 목=neck; 손목=wrist; 발목=ankle; 배=stomach; 팔꿈치=elbow; 발바닥=sole; 턱=jaw; 종아리=calf""",
    "ill": """감기=a cold; 독감=the flu; 장염=a stomach infection; 비염=rhinitis; 편두통=migraines; 위염=gastritis; 불면증=insomnia; 고혈압=high blood pressure; 당뇨=diabetes; 아토피=eczema; 천식=asthma; 빈혈=anaemia; 허리 디스크=a slipped disc; 결막염=pink eye; 중이염=an ear infection""",
    "pill": """혈압약=blood pressure medicine; 감기약=cold medicine; 두통약=headache pills; 비타민=vitamins; 유산균=probiotics; 철분제=iron supplements; 오메가3=omega-3; 알레르기약=allergy medicine; 소화제=digestive medicine; 진통제=painkillers; 항생제=antibiotics; 수면제=sleeping pills; 갑상선약=thyroid medicine""",
    "climate": """강수량=rainfall; 적설량=snowfall; 습도=humidity; 최고 기온=highest temperature; 최저 기온=lowest temperature; 평균 기온=average temperature; 풍속=wind speed; 미세먼지 농도=fine dust level; 일조 시간=number of sunshine hours; 자외선 지수=UV index; 일교차=daily temperature range; 바닷물 온도=sea temperature""",
    "sky": """폭설=heavy snow; 폭우=heavy rain; 태풍=a typhoon; 한파=a cold wave; 폭염=a heat wave; 열대야=tropical nights; 안개=fog; 우박=hail; 황사=yellow dust; 강풍=strong wind; 소나기=showers; 가뭄=a drought; 장마=monsoon rain; 서리=frost""",
    "doc": """보고서=report; 제안서=proposal; 계약서=contract; 견적서=quotation; 회의록=meeting record; 예산안=budget plan; 발표 자료=slide deck; 설계 문서=design document; 사업 계획서=business plan; 이력서=résumé; 설문 결과=survey result; 테스트 결과=test result; 릴리스 노트=release note; 사용 설명서=user manual; 일정표=timetable; 영수증=receipt""",
    "tool": """파이썬=Python; 자바=Java; 러스트=Rust; 타입스크립트=TypeScript; 코틀린=Kotlin; 리눅스=Linux; 도커=Docker; 쿠버네티스=Kubernetes; 리액트=React; 장고=Django; 레디스=Redis; 카프카=Kafka; 엑셀=Excel; 노션=Notion; 슬랙=Slack; 피그마=Figma; 깃허브=GitHub; 포토샵=Photoshop""",
    "fault": """결제 오류=payment error; 로그인 문제=login problem; 메모리 누수=memory leak; 느린 검색=slow search; 서버 장애=server outage; 배포 실패=failed deployment; 글자 깨짐=garbled text; 화면 멈춤=frozen screen; 알림 누락=missing notification; 데이터 중복=duplicate data; 보안 취약점=security hole""",
    "genre": """재즈=jazz; 클래식=classical music; 발라드=ballads; 트로트=trot songs; 힙합=hip-hop; 록=rock; 포크=folk songs; 캐럴=carols; 자장가=lullabies; 영화 음악=film music; 피아노 연주곡=piano pieces; 댄스곡=dance music; 동요=children's songs; 국악=traditional Korean music; 빗소리=rain sounds""",
    "film": """공포 영화=horror films; 로맨틱 코미디=romantic comedies; 다큐멘터리=documentaries; 공상 과학 영화=science fiction films; 애니메이션=animated films; 추리 소설=detective novels; 역사 소설=historical novels; 사극=period dramas; 예능 프로그램=variety shows; 요리 프로그램=cooking shows; 웹툰=webtoons; 시집=poetry books; 에세이=essays""",
    "bill": """월세=rent; 전기 요금=electricity bill; 수도 요금=water bill; 가스 요금=gas bill; 관리비=maintenance fee; 통신비=phone bill; 보험료=insurance premium; 대출 이자=loan interest; 학원비=tutoring fee; 주차비=parking fee; 헬스장 회비=gym fee; 인터넷 요금=internet bill; 카드값=credit card bill; 재산세=property tax""",
    "animal": """고양이=cat; 강아지=puppy; 토끼=rabbit; 햄스터=hamster; 앵무새=parrot; 거북이=turtle; 금붕어=goldfish; 고슴도치=hedgehog; 진돗개=Jindo dog; 푸들=poodle; 도마뱀=lizard; 닭=chicken""",
    "name": """콩이=Kongi; 보리=Bori; 두부=Dubu; 초코=Choco; 나비=Nabi; 구름=Gureum; 감자=Gamja; 별이=Byeoli; 호두=Hodu; 단추=Danchu; 모카=Mocha; 달이=Dali""",
    "gift": """꽃다발=a bouquet; 손목시계=a wristwatch; 목도리=a scarf; 지갑=a wallet; 향수=perfume; 운동화=running shoes; 책=a book; 만년필=a fountain pen; 안마기=a massager; 홍삼=red ginseng; 장갑=gloves; 귀걸이=earrings; 가방=a bag; 찻잔=a teacup; 화분=a potted plant; 상품권=a gift voucher; 인형=a doll; 텀블러=a tumbler""",
    "bring": """우산=an umbrella; 여권=your passport; 지갑=your wallet; 도시락=your lunch box; 신분증=your ID card; 충전기=a charger; 외투=a coat; 선크림=sunscreen; 수영복=a swimsuit; 상비약=basic medicine; 물병=a water bottle; 마스크=a mask; 열쇠=your keys; 장바구니=a shopping bag; 손전등=a torch; 필기도구=something to write with; 간식=snacks; 모자=a hat""",
    "vehicle": """버스=bus; 지하철=subway; 택시=taxi; 기차=train; 비행기=plane; 배=boat; 고속버스=express bus; 자전거=bicycle; 자동차=car; 공항버스=airport bus""",
    "plus": """방이 깨끗=the room was clean; 침대가 편안=the bed was comfortable; 호스트가 친절=the host was kind; 동네가 조용=the neighbourhood was quiet; 거실이 널찍=the living room was spacious; 숙소가 아늑=the place was cosy; 욕실이 깔끔=the bathroom was tidy; 교통이 편리=the transport links were convenient; 전망이 근사=the view was lovely; 조식이 훌륭=breakfast was excellent; 침구가 뽀송뽀송=the bedding was fresh and dry; 체크인이 간편=check-in was easy; 수건이 넉넉=there were plenty of towels; 주방이 쾌적=the kitchen was pleasant""",
    "minus": """방이 눅눅=the room was damp; 화장실이 지저분=the toilet was dirty; 주변이 어수선=the surroundings were messy; 난방이 부실=the heating was weak; 주차장이 협소=the parking lot was cramped; 방음이 허술=the soundproofing was poor; 직원이 불친절=the staff were unfriendly; 침대가 불편=the bed was uncomfortable; 설명이 부족=the instructions were insufficient; 계단이 위험=the stairs were dangerous; 안내가 복잡=the directions were complicated; 온수가 부족=there was not enough hot water""",
    "tasty": """음식이 정갈=the food was neatly prepared; 직원이 친절=the staff were friendly; 분위기가 아늑=the atmosphere was cosy; 양이 푸짐=the portions were generous; 재료가 신선=the ingredients were fresh; 반찬이 다양=there were many side dishes; 가격이 저렴=the prices were low; 매장이 깨끗=the place was clean; 고기가 부드럽고 촉촉=the meat was tender and moist; 음악이 잔잔=the music was calm""",
    "mood": """행복=happy; 우울=down; 불안=anxious; 피곤=tired; 답답=frustrated; 허전=empty; 뿌듯=proud; 심심=bored; 초조=nervous; 편안=at ease; 속상=upset; 막막=lost; 평온=calm; 섭섭=hurt; 홀가분=relieved; 후련=unburdened""",
    "chore": """전기 요금 납부=pay the electricity bill; 여권 갱신=renew the passport; 치과 예약=book the dentist; 보고서 제출=submit the report; 분리수거=sort the recycling; 방 청소=clean the room; 이불 빨래=wash the bedding; 저녁 준비=prepare dinner; 약 복용=take the medicine; 창문 환기=air out the rooms; 부모님께 전화=call my parents; 고객에게 회신=reply to the customer; 비밀번호 변경=change the password; 사진 백업=back up the photos; 자동차 점검=have the car checked; 운동=exercise; 적금 이체=transfer money to savings; 식료품 주문=order groceries; 기차표 예매=book train tickets; 호텔 취소=cancel the hotel; 도서 반납=return the library books; 택배 발송=send the parcel; 아이 숙제 확인=check the child's homework; 독감 예방 접종=get a flu shot; 연말정산=do the year-end tax settlement; 화분 정리=tidy the flower pots; 필터 교체=replace the filter; 단어 복습=review the vocabulary""",
    "ban": """실내 흡연=smoke indoors; 야식 주문=order late-night food; 과음=drink too much; 밤늦게 통화=talk on the phone late at night; 주말에 업무 연락=send work messages at the weekend; 금요일에 배포=deploy on a Friday; 과속=speed; 충동구매=buy things on impulse; 무단 주차=park without permission; 밤에 세탁기 사용=use the washing machine at night; 개인 정보 공유=share personal information; 승인 없이 삭제=delete anything without approval; 운전 중에 전화=make calls while driving; 늦은 시간에 운동=exercise late in the evening; 아이 앞에서 욕설=swear in front of the child; 회의 중에 녹음=record during the meeting; 고객 자료 복사=copy customer files; 빈속에 음주=drink alcohol on an empty stomach""",
    "habit": """산책=take a walk; 스트레칭=stretch; 명상=meditate; 독서=read; 일기 정리=tidy up my diary; 가계부 정리=update the household accounts; 영어 공부=study English; 요리=cook; 조깅=go jogging; 반신욕=take a half bath; 화장실 청소=clean the bathroom; 장보기 목록 정리=sort out the shopping list; 근력 운동=do strength training; 피아노 연습=practise the piano""",
    "scheme": """소상공인 지원 사업=support programme for small businesses; 청년 월세 지원=youth rent support; 창업 지원 사업=start-up support programme; 출산 장려금=childbirth grant; 전기차 보조금=electric car subsidy; 평생교육 강좌=lifelong learning course; 어르신 건강 교실=senior health class; 무료 예방 접종=free vaccination programme; 장학금=scholarship; 긴급 생계 지원=emergency living support; 문화 이용권=culture voucher; 직업 훈련 과정=job training course; 에너지 절약 캠페인=energy saving campaign; 주택 수리 지원=home repair support; 농가 직불금=direct payment for farmers""",
    "facility": """도서관=library; 체육관=sports centre; 수영장=swimming pool; 주민센터=community centre; 주차장=parking lot; 박물관=museum; 보건소=public health centre; 산책로=walking trail; 놀이터=playground; 엘리베이터=elevator; 구내식당=cafeteria; 전시장=exhibition hall""",
    "past": """어제=yesterday; 그저께=the day before yesterday; 지난주에=last week; 지난달에=last month; 작년에=last year; 사흘 전에=three days ago; 2주 전에=two weeks ago; 한 달 전에=a month ago; 지난 주말에=last weekend; 작년 여름에=last summer; 작년 겨울에=last winter; 지난 토요일에=last Saturday; 지난 월요일에=last Monday; 반년 전에=six months ago; 올해 초에=at the start of this year; 3년 전에=three years ago; 어젯밤에=last night; 오늘 아침에=this morning; 지난 설날에=last Lunar New Year; 지난 추석에=last Chuseok""",
    "future": """내일=tomorrow; 모레=the day after tomorrow; 다음 주에=next week; 다음 달에=next month; 내년에=next year; 내년 봄에=next spring; 이번 주말에=this weekend; 올여름에=this summer; 올가을에=this autumn; 다음 주 화요일에=next Tuesday; 다음 주 금요일에=next Friday; 사흘 뒤에=in three days; 2주 뒤에=in two weeks; 연말에=at the end of the year; 오늘 저녁에=this evening; 추석 때=at Chuseok; 크리스마스에=at Christmas; 월말에=at the end of the month""",
    "often": """매일=every day; 매일 아침=every morning; 매일 저녁=every evening; 주말마다=every weekend; 월요일마다=every Monday; 수요일마다=every Wednesday; 자기 전에=before bed; 점심시간에=at lunchtime; 퇴근하고=after work; 일주일에 두 번=twice a week; 일주일에 세 번=three times a week; 하루걸러=every other day; 한 달에 한 번=once a month""",
    "season": """봄=spring; 여름=summer; 가을=autumn; 겨울=winter; 장마철=the rainy season; 휴가철=the holiday season; 7월=July; 8월=August; 12월=December; 1월=January; 4월=April; 10월=October""",
    "weekday": """월요일=Monday; 화요일=Tuesday; 수요일=Wednesday; 목요일=Thursday; 금요일=Friday; 토요일=Saturday; 일요일=Sunday""",
    "count": """두 개=two; 세 개=three; 네 개=four; 다섯 개=five; 여섯 개=six; 일곱 개=seven; 열 개=ten""",
    "span": """30분=30 minutes; 40분=40 minutes; 한 시간=an hour; 두 시간=two hours; 세 시간=three hours; 15분=15 minutes; 한 시간 반=an hour and a half; 20분=20 minutes; 50분=50 minutes""",
    "years": """1년=one year; 2년=two years; 3년=three years; 5년=five years; 7년=seven years; 10년=ten years; 6개월=six months; 석 달=three months; 8년=eight years""",
    "floor": """1층=the first floor; 2층=the second floor; 3층=the third floor; 5층=the fifth floor; 지하 1층=the first basement floor; 옥상=the rooftop""",
    "keep": """서랍=the drawer; 책장=the bookcase; 옷장=the wardrobe; 신발장=the shoe cabinet; 창고=the storage room; 부엌 찬장=the kitchen cupboard; 차 트렁크=the car boot; 베란다=the balcony; 금고=the safe; 가방 안=my bag""",
    "ride": """버스=bus; 기차=train; 비행기=plane; 배=boat; 고속버스=express bus; 공항버스=airport bus""",
    "limb": """허리=lower back; 무릎=knee; 어깨=shoulder; 손목=wrist; 발목=ankle; 팔꿈치=elbow; 종아리=calf; 손가락=finger; 발가락=toe; 정강이=shin""",
    "local": """버스=bus; 지하철=subway; 택시=taxi; 자전거=bicycle; 자동차=car""",
    "visit": """병원=hospital; 시장=market; 공원=park; 미술관=art museum; 박물관=museum; 백화점=department store; 식당=restaurant; 영화관=cinema; 안경점=optician; 온천=hot spring; 절=temple; 성당=cathedral; 수목원=arboretum; 해수욕장=beach; 치과=dental clinic""",
    "gather": """회의=meeting; 결혼식=wedding; 졸업식=graduation ceremony; 동창회=school reunion; 워크숍=workshop; 콘서트=concert; 송년회=year-end party; 마라톤 대회=marathon; 전시회=exhibition; 세미나=seminar; 가족 모임=family gathering; 축제=festival; 박람회=trade fair""",
    "gloom": """우울=down; 답답=frustrated; 속상=upset; 섭섭=hurt; 막막=lost; 허전=empty; 불편=uneasy""",
    "worry": """불안=anxious; 초조=nervous; 답답=frustrated; 막막=lost; 우울=down; 뿌듯=proud; 행복=happy; 피곤=tired""",
    "storm": """폭설=heavy snow; 폭우=heavy rain; 태풍=a typhoon; 안개=fog; 강풍=strong wind; 우박=hail; 황사=yellow dust; 뇌우=a thunderstorm; 화산재=volcanic ash; 엔진 고장=engine trouble; 파업=a strike""",
    "town": """서울=Seoul; 부산=Busan; 대구=Daegu; 인천=Incheon; 광주=Gwangju; 대전=Daejeon; 울산=Ulsan; 수원=Suwon; 춘천=Chuncheon; 강릉=Gangneung; 전주=Jeonju; 경주=Gyeongju; 여수=Yeosu; 속초=Sokcho; 포항=Pohang; 목포=Mokpo; 김해=Gimhae; 원주=Wonju; 용인=Yongin""",
    "lost": """우산=my umbrella; 여권=my passport; 지갑=my wallet; 열쇠=my keys; 장갑=my gloves; 모자=my hat; 휴대폰=my phone; 가방=my bag; 이어폰=my earphones; 안경=my glasses; 목도리=my scarf; 교통카드=my transit card; 반지=my ring""",
}  # fmt: skip

_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August",
           "September", "October", "November", "December")  # fmt: skip


def words() -> dict[str, tuple[Word, ...]]:
    """Return every class with its word pairs, the dates, clock times and prices included."""
    classes = {name: tuple(_split(table)) for name, table in _TABLE.items()}
    classes["date"] = tuple(
        (f"{month}월 {day}일", f"{name} {day}")
        for month, name in enumerate(_MONTHS, 1)
        for day in range(1, 29)
    )
    classes["clock"] = tuple(
        (f"{ko} {hour}시{half_ko}", f"{hour}{half_en} {en}")
        for ko, en, hours in (("오전", "a.m.", range(5, 12)), ("오후", "p.m.", range(1, 12)))
        for hour in hours
        for half_ko, half_en in (("", ""), (" 30분", ":30"))
    )
    classes["price"] = tuple(
        (f"{tens}만 원", f"{tens * 10_000:,} won") for tens in (*range(1, 20), *range(20, 100, 5))
    )
    return classes


def _split(table: str) -> list[Word]:
    pairs = [entry.strip().partition("=") for entry in table.split(";")]
    return [(korean, english) for korean, _, english in pairs]
